package fsstore

import (
	"context"
	"path"
	"path/filepath"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Vanish removes everything that a room leaves behind in which nothing was ever committed and nobody is left, together
// with files of the caller beside the store: names below its directory, of files or of whole directories. It says
// whether the room was such a one; otherwise nothing was touched. The directory itself stays while something else
// is in it, and so does everything on which somebody else has just begun.
//
// The last record of a solo room takes the store along by itself; this is for those who keep files there, too.
func (s *Store) Vanish(ctx context.Context, beside ...string) (gone bool, err error) {
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return err == nil, err
	}
	dir.Close()
	err = s.write(ctx, func(w *writing) error {
		if !w.solo {
			return nil
		}
		left, err := readSolo(w.dir)
		if err != nil || len(left) > 0 {
			return err
		}
		gone = true
		return w.vanish(beside)
	})
	return gone, err
}

// vanish removes the files and directories of a solo room. The lock goes after everything that it protects: from then on
// directories are only removed, which fails if somebody has come and put something there.
func (w *writing) vanish(beside []string) error {
	for _, name := range append([]string{soloFile, ephemeralDir, tmpDir, sweepFile}, beside...) {
		if err := w.removeTree(name); err != nil {
			return writeError(name, err)
		}
	}
	for _, name := range beside {
		if parent := path.Dir(name); parent != "." {
			_ = w.dir.Remove(parent)
		}
	}
	w.store.step(StepVanish)
	w.vanished = true
	if err := w.dir.Remove(lockFile); err != nil && !vfs.Missing(err) {
		return writeError(lockFile, err)
	}
	_ = w.dir.Remove(locksDir)
	parent, err := w.store.fs.Open(w.store.opts.Base, filepath.Dir(w.store.opts.Dir))
	if err != nil {
		return writeError(w.store.opts.Dir, err)
	}
	defer parent.Close()
	_ = parent.Remove(filepath.Base(w.store.opts.Dir))
	return nil
}

// removeTree removes a file, or a directory with everything in it. One in which somebody is just putting something stays.
func (w *writing) removeTree(name string) error {
	listed, err := w.dir.List(name)
	if err == nil {
		for _, e := range listed {
			if err := w.removeTree(name + "/" + e.Name); err != nil {
				return err
			}
		}
		_ = w.dir.Remove(name)
		return nil
	}
	w.store.step(StepVanish)
	if err := w.dir.Remove(name); !vfs.Missing(err) {
		return err
	}
	return nil
}
