package runtime

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// link makes to another name of from. It appears whole and under a new inode, so what runs keeps its file.
// Where the file system cannot link, it is a copy.
func (m *Manager) link(from, to string) error {
	source, err := os.Lstat(from)
	if err != nil {
		return err
	}
	target, err := os.Lstat(to)
	switch {
	case err == nil && os.SameFile(source, target):
		return nil
	case err == nil && runtime.GOOS == "windows":
		// A running executable cannot be replaced without a moment in which there is none. The old one finds
		// its way by itself.
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	aside := filepath.Join(filepath.Dir(to), partial+randomName())
	if err := os.Link(from, aside); err != nil {
		if err := duplicate(from, aside); err != nil {
			_ = os.Remove(aside)
			return err
		}
	}
	if err := os.Rename(aside, to); err != nil {
		_ = os.Remove(aside)
		return err
	}
	_ = os.Remove(aside) // renaming a link to the file that it names does nothing
	return nil
}

// duplicate copies a program. Nobody may start a process meanwhile: it would inherit the open file and keep the
// copy from being executed.
func duplicate(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, programMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Chmod(programMode)
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
