//go:build unix

package launch

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
)

// replaceProcess executes path in this process, which keeps its lock across that.
func replaceProcess(path string, l *Lease, r Request) error {
	if r.Stdin != nil {
		if err := refill(r.Stdin); err != nil {
			return err
		}
	}
	args := append([]string{path}, r.Args[1:]...)
	return l.lock.Bequeath(func() error {
		return syscall.Exec(path, args, environment(l, strconv.Itoa(l.lock.Descriptor())))
	})
}

// refill makes standard input begin again with what was read from it. A pipe would need somebody to write into
// it, so it is a file that has no name.
func refill(data []byte) error {
	fd, err := nameless()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for rest := data; len(rest) > 0; {
		n, err := retry(func() (int, error) { return unix.Write(fd, rest) })
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		return err
	}
	return unix.Dup2(fd, 0)
}

func inherit(descriptor int, path string) (*lockfile.Lock, error) {
	return lockfile.Adopt(descriptor, path)
}
