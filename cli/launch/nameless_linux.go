package launch

import "golang.org/x/sys/unix"

// nameless makes a file in memory, or where that is not allowed one that is unlinked at once.
func nameless() (int, error) {
	fd, err := unix.MemfdCreate("acc-payload", unix.MFD_CLOEXEC)
	if err != nil {
		return unlinked()
	}
	return fd, nil
}
