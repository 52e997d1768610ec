//go:build unix

package live

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

var errForeignFile = errors.New("not a private file of this user")

// readOwn reads a plain file of this user in a directory of this user, neither of them a link or
// writable by others, of at most max bytes.
func readOwn(dir, name string, max int64) ([]byte, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !private(info) {
		return nil, errForeignFile
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, errForeignFile
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !private(info) || info.Size() > max {
		return nil, errForeignFile
	}
	return io.ReadAll(io.LimitReader(f, max+1))
}

func private(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
