//go:build unix

package privatefile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

func TestModesWhateverTheUmask(t *testing.T) {
	for _, umask := range []int{0o000, 0o022, 0o277, 0o777} {
		base := filepath.Join(t.TempDir(), "base")
		if err := os.Mkdir(base, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(base, "acc", "rooms", "a")
		was := syscall.Umask(umask)
		err := Write(base, path, []byte("x"))
		if err == nil {
			err = WriteNew(base, path+"2", []byte("x"))
		}
		syscall.Umask(was)
		if err != nil {
			t.Fatalf("umask %03o: %v", umask, err)
		}
		for at, want := range map[string]os.FileMode{
			path: 0o600, path + "2": 0o600, filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700,
		} {
			info, err := os.Stat(at)
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s is %v, %v, want %o", umask, at, info.Mode().Perm(), err, want)
			}
		}
	}
}

func TestForeignOwnersAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	segments := []string{"acc", "rooms", "a.json"}
	for i := range segments {
		t.Run(segments[i], func(t *testing.T) {
			base := t.TempDir()
			path := filepath.Join(base, filepath.Join(segments...))
			if err := Write(base, path, []byte("x")); err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(base, filepath.Join(segments[:i+1]...))
			if err := os.Chown(at, 65534, -1); err != nil {
				t.Fatal(err)
			}
			_, err := ReadBelow(base, path, 10)
			wantError(t, err, protocol.ReasonPathUnsafe, at, "belongs to user 65534")
			if i < len(segments)-1 {
				wantError(t, Write(base, path, nil), protocol.ReasonPathUnsafe, at, "belongs to user 65534")
			}
		})
	}
	t.Run("directory of a plain read", func(t *testing.T) {
		base := t.TempDir()
		path := filepath.Join(base, "acc", "a")
		if err := Write(base, path, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Dir(path), 65534, -1); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path, 10)
		wantError(t, err, protocol.ReasonPathUnsafe, filepath.Dir(path), "belongs to user 65534")
	})
}

// Where a file system has no rename that refuses to replace, a second name does the same.
func TestLinkingIsAsGood(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for range 2 {
		if err := os.WriteFile(from, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := linkNew(from, to)
		if _, gone := os.Lstat(to); gone != nil {
			t.Fatal(gone)
		}
		if err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	if err := linkNew(from, to); !os.IsExist(err) {
		t.Errorf("error %v, want that it exists", err)
	}
}
