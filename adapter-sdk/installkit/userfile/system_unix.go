//go:build unix

package userfile

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign says whether the file belongs to another user.
func foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}

// open does not follow a link and does not wait for the other end of a pipe.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// flushDir makes a rename or removal in dir durable.
func flushDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return failed("cannot flush", dir, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return failed("cannot flush", dir, err)
	}
	return nil
}
