//go:build unix

package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// unlinked makes a file of this user alone and takes its name away before anything is written.
func unlinked() (int, error) {
	f, err := os.CreateTemp("", "acc-")
	if err != nil {
		return -1, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return -1, err
	}
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
}
