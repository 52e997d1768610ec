package workspace

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// git does not look beyond a mount point.
func TestMountPointsEndARepository(t *testing.T) {
	top := repo(t, temp(t))
	point := mkdir(t, filepath.Join(top, "point"))
	if err := unix.Mount("tmpfs", point, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	defer unix.Unmount(point, unix.MNT_DETACH)
	for _, dir := range []string{point, mkdir(t, filepath.Join(point, "a", "b"))} {
		if diff := cmp.Diff(ask(dir), discover(t, dir).Git); diff != "" {
			t.Errorf("%s: (-git +acc)\n%s", dir, diff)
		}
	}
}
