package fsstore

import (
	"errors"
	"path"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// writeTemporary writes data to a new file in tmp/ and gives its name. On failure nothing is left
// behind that the sweep would not find.
func writeTemporary(dir vfs.Dir, data []byte, flush bool) (string, error) {
	name := tmpName()
	f, err := dir.Open(name, vfs.Create)
	if vfs.Missing(err) {
		if err := mkdir(dir, tmpDir); err != nil {
			return "", err
		}
		f, err = dir.Open(name, vfs.Create)
	}
	if err != nil {
		return "", err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil && flush {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = dir.Remove(name)
		return "", err
	}
	return name, nil
}

// replace publishes data as name: readers see the old content or the new, never a part. Nothing is
// flushed. Missing directories below root are made; root itself must exist.
//
// An old file is swapped out and then removed: a rename over it would make some file systems write the new
// one to the disk at once (ext4 does, to spare programs that never flush), four times as long.
func replace(dir vfs.Dir, root, name string, data []byte) error {
	tmp, err := writeTemporary(dir, data, false)
	if err != nil {
		return err
	}
	err = dir.Exchange(name, tmp)
	if err == nil {
		_ = dir.Remove(tmp) // the old content; what cannot be removed now the sweep finds
		return nil
	}
	if errors.Is(err, vfs.ErrUnsupported) || vfs.Missing(err) {
		return moveIn(dir, root, tmp, name)
	}
	_ = dir.Remove(tmp)
	return err
}

// replaceNew is replace for a name that does not exist, or holds the same already.
func replaceNew(dir vfs.Dir, root, name string, data []byte) error {
	tmp, err := writeTemporary(dir, data, false)
	if err != nil {
		return err
	}
	return moveIn(dir, root, tmp, name)
}

// moveIn gives a temporary its name.
func moveIn(dir vfs.Dir, root, tmp, name string) error {
	err := dir.Rename(tmp, name)
	if vfs.Missing(err) {
		if err = makeBelow(dir, root, path.Dir(name)); err == nil {
			err = dir.Rename(tmp, name)
		}
	}
	if err != nil {
		_ = dir.Remove(tmp)
	}
	return err
}

// makeBelow makes the directories between root, which must exist, and name.
func makeBelow(dir vfs.Dir, root, name string) error {
	if name == root || name == "." {
		return nil
	}
	err := dir.Mkdir(name)
	if vfs.Missing(err) {
		if err := makeBelow(dir, root, path.Dir(name)); err != nil {
			return err
		}
		err = dir.Mkdir(name)
	}
	if vfs.Exists(err) {
		return nil
	}
	return err
}

// replaceDurably is replace with everything flushed before it returns.
func replaceDurably(dir vfs.Dir, name string, data []byte) error {
	tmp, err := writeTemporary(dir, data, true)
	if err != nil {
		return err
	}
	if err := dir.Rename(tmp, name); err != nil {
		_ = dir.Remove(tmp)
		return err
	}
	parent := path.Dir(name)
	if parent == "." {
		parent = ""
	}
	return dir.SyncDir(parent)
}
