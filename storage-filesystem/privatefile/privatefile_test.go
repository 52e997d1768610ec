package privatefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

func TestWriteThenRead(t *testing.T) {
	base := filepath.Join(t.TempDir(), "not", "yet", "there")
	path := filepath.Join(base, "acc", "rooms", "a.json")
	if _, err := ReadBelow(base, path, 100); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("error %v, want %v", err, fs.ErrNotExist)
	}
	for _, content := range []string{"first", "the second one", ""} {
		if err := Write(base, path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := ReadBelow(base, path, int64(len(content)))
		if err != nil || string(got) != content {
			t.Fatalf("%q, %v, want %q", got, err, content)
		}
		if got, err = Read(path, int64(len(content))); err != nil || string(got) != content {
			t.Fatalf("%q, %v, want %q", got, err, content)
		}
	}
	names(t, filepath.Dir(path), "a.json")
}

func TestReadRefusesWhatIsTooLarge(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "a", "b")
	if err := Write(base, path, []byte("12345")); err != nil {
		t.Fatal(err)
	}
	_, err := Read(path, 4)
	wantError(t, err, "", path, "too large")
}

func TestWriteNewNeverReplaces(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "acc", "once")
	if err := WriteNew(base, path, []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(base, path, []byte("yours")); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Fatalf("error %v, want %v with the path", err, fs.ErrExist)
	}
	if got, err := ReadBelow(base, path, 10); err != nil || string(got) != "mine" {
		t.Errorf("%q, %v, want what was there first", got, err)
	}
	names(t, filepath.Dir(path), "once")
}

// One of many wins, and whoever looks sees its whole file or none.
func TestWriteNewHasOneWinner(t *testing.T) {
	base := t.TempDir()
	for round := range 20 {
		path := filepath.Join(base, "acc", fmt.Sprint("race", round))
		content := func(who int) []byte { return bytes.Repeat([]byte{byte('a' + who)}, 4096) }
		var won [8]bool
		var all sync.WaitGroup
		for who := range won {
			all.Go(func() {
				err := WriteNew(base, path, content(who))
				won[who] = err == nil
				if err != nil && !errors.Is(err, fs.ErrExist) {
					t.Errorf("loser got %v", err)
				}
				got, err := ReadBelow(base, path, 4096)
				if err != nil || len(got) != 4096 || !bytes.Equal(got, content(int(got[0]-'a'))) {
					t.Errorf("a part of a file was seen: %d bytes, %v", len(got), err)
				}
			})
		}
		all.Wait()
		winners := 0
		got, err := ReadBelow(base, path, 4096)
		for who, w := range won {
			if w {
				winners++
				if err != nil || !bytes.Equal(got, content(who)) {
					t.Errorf("the file is not the winner's: %v", err)
				}
			}
		}
		if winners != 1 {
			t.Fatalf("%d winners", winners)
		}
	}
	entries, err := os.ReadDir(filepath.Join(base, "acc"))
	if err != nil || len(entries) != 20 {
		t.Errorf("%d files, %v, want 20: losers leave nothing", len(entries), err)
	}
}

func TestEverySegmentMustBeReal(t *testing.T) {
	segments := []string{"acc", "rooms", "deep", "a.json"}
	for i := range segments {
		t.Run(segments[i], func(t *testing.T) {
			base := t.TempDir()
			path := filepath.Join(base, filepath.Join(segments...))
			if err := Write(base, path, []byte("x")); err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(base, filepath.Join(segments[:i+1]...))
			elsewhere := filepath.Join(base, "elsewhere")
			if err := os.Rename(at, elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, at); err != nil {
				t.Fatal(err)
			}
			_, err := ReadBelow(base, path, 10)
			wantError(t, err, protocol.ReasonPathUnsafe, at, "symbolic link")

			if i == len(segments)-1 { // a link in the last place is replaced or removed, never followed
				if err := Write(base, path, []byte("new")); err != nil {
					t.Fatal(err)
				}
				if got, _ := os.ReadFile(elsewhere); string(got) != "x" {
					t.Errorf("the target of the link holds %q", got)
				}
				return
			}
			wantError(t, Write(base, path, []byte("new")), protocol.ReasonPathUnsafe, at, "symbolic link")
			wantError(t, WriteNew(base, path+"2", []byte("new")), protocol.ReasonPathUnsafe, at, "symbolic link")
			if err := Remove(base, path); err == nil {
				t.Error("removed through a link")
			}
			target := filepath.Join(elsewhere, filepath.Join(segments[i+1:]...))
			if got, _ := os.ReadFile(target); string(got) != "x" {
				t.Errorf("the file behind the link holds %q", got)
			}
		})
	}
}

func TestABaseBehindALinkIsTheUsersBusiness(t *testing.T) {
	top := t.TempDir()
	base := filepath.Join(top, "link")
	if err := os.Symlink(t.TempDir(), base); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(base, "acc", "a")
	if err := Write(base, path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadBelow(base, path, 10); err != nil {
		t.Error(err)
	}
}

func TestOtherTypesAreRefused(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "acc", "dir")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := ReadBelow(base, dir, 10)
	wantError(t, err, protocol.ReasonPathUnsafe, dir, "not a regular file")

	file := filepath.Join(base, "acc", "file")
	if err := Write(base, file, nil); err != nil {
		t.Fatal(err)
	}
	wantError(t, Write(base, filepath.Join(file, "x"), nil), protocol.ReasonPathUnsafe, file, "not a directory")
}

func TestPathsStayBelowTheBase(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base")
	for _, path := range []string{filepath.Join(base, "..", "a"), filepath.Join(base, "..", "other", "a"), "relative"} {
		wantError(t, Write(base, path, nil), protocol.ReasonPathUnsafe, path, "does not lie below")
		_, err := ReadBelow(base, path, 10)
		wantError(t, err, protocol.ReasonPathUnsafe, path, "does not lie below")
	}
}

func TestRemove(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "acc", "a")
	if err := Remove(base, path); err != nil {
		t.Errorf("absent directory: %v", err)
	}
	if err := Write(base, path, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Remove(base, path); err != nil {
			t.Fatal(err)
		}
	}
	names(t, filepath.Dir(path))
}

func wantError(t *testing.T, err error, reason protocol.Reason, parts ...string) {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) || e.Code != protocol.Data || e.Reason != reason {
		t.Errorf("error %v, want a data error with reason %q", err, reason)
		return
	}
	for _, part := range parts {
		if !strings.Contains(e.Message, part) {
			t.Errorf("message %q lacks %q", e.Message, part)
		}
	}
}

func names(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

// A tree looks at a directory once; the functions of the package look each time.
func TestATreeLooksOnce(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "acc", "a")
	if err := Write(base, path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	tree := Below(base)
	if _, err := tree.Read(filepath.Join(base, "absent", "a"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := tree.Read(path, 10); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(base, "elsewhere")
	for _, err := range []error{os.Rename(filepath.Join(base, "acc"), elsewhere), os.Symlink(elsewhere, filepath.Join(base, "acc"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tree.Read(path, 10); err != nil {
		t.Errorf("looked again: %v", err)
	}
	if _, err := Below(base).Read(path, 10); err == nil {
		t.Error("another tree takes the first one's word")
	}
	if err := os.Mkdir(filepath.Join(base, "absent"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := tree.Write(filepath.Join(base, "absent", "a"), nil); err != nil {
		t.Errorf("an absent directory was taken for good: %v", err)
	}
}
