package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestRediscover(t *testing.T) {
	forgotten := func(d Descriptor) Descriptor {
		g := *d.Git
		g.Branch, g.Head = "", ""
		d.Git = &g
		return d
	}
	same := func(d Descriptor) Descriptor {
		if d.Git != nil {
			g := *d.Git
			g.Head = "" // nobody asked
			d.Git = &g
		}
		return d
	}
	for _, c := range []struct {
		name   string
		before func(t *testing.T, dir string)
		then   func(t *testing.T, dir string)
		want   func(was Descriptor) Descriptor // nil: the identity changed
	}{
		{"git, nothing happened", func(t *testing.T, dir string) { repo(t, dir) }, func(*testing.T, string) {}, same},
		{"directory, nothing happened", func(t *testing.T, dir string) { mkdir(t, dir) }, func(*testing.T, string) {}, same},
		{"git is gone", func(t *testing.T, dir string) { repo(t, dir) },
			func(t *testing.T, dir string) { remove(t, filepath.Join(dir, ".git")) }, forgotten},
		{"git is damaged", func(t *testing.T, dir string) { repo(t, dir) },
			func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".git", "HEAD"), "?") }, forgotten},
		{"git and its directory are gone", func(t *testing.T, dir string) { repo(t, dir) }, remove, forgotten},
		{"directory is gone", func(t *testing.T, dir string) { mkdir(t, dir) }, remove, same},
		{"git appeared", func(t *testing.T, dir string) { mkdir(t, dir) },
			func(t *testing.T, dir string) { repo(t, dir) }, same},
		{"git appeared around it", func(t *testing.T, dir string) { mkdir(t, dir) },
			func(t *testing.T, dir string) { repo(t, filepath.Dir(dir)) }, same},
		{"nested git appeared", func(t *testing.T, dir string) { mkdir(t, dir); repo(t, filepath.Dir(dir)) },
			func(t *testing.T, dir string) { repo(t, dir) }, nil},
		{"a config appeared", func(t *testing.T, dir string) { repo(t, dir) },
			func(t *testing.T, dir string) { write(t, filepath.Join(dir, ConfigName), minimal) }, nil},
		{"the config is gone", func(t *testing.T, dir string) { write(t, filepath.Join(dir, ConfigName), minimal) },
			func(t *testing.T, dir string) { remove(t, filepath.Join(dir, ConfigName)) }, nil},
		{"the config and its directory are gone", func(t *testing.T, dir string) { write(t, filepath.Join(dir, ConfigName), minimal) },
			remove, nil},
		{"a link came in its place", func(t *testing.T, dir string) { repo(t, dir) },
			func(t *testing.T, dir string) {
				remove(t, dir)
				link(t, mkdir(t, dir+"2"), dir)
			}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(temp(t), "dir")
			c.before(t, dir)
			was := discover(t, dir)
			c.then(t, dir)
			saved := Descriptor{ID: was.ID, Source: was.Source}
			if was.Git != nil {
				saved.Git = &Git{CommonDir: was.Git.CommonDir, WorktreeRoot: was.Git.WorktreeRoot}
			}
			got, err := Rediscover(dir, saved)
			if c.want == nil {
				e := wantError(t, err, protocol.Conflict, was.ID, "identity changed")
				if e.Reason != protocol.ReasonWorkspaceChanged {
					t.Errorf("reason %q", e.Reason)
				}
				return
			}
			if diff := cmp.Diff(c.want(was), got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestRediscoverSaysWhatIsWrongWithAConfig(t *testing.T) {
	dir := temp(t)
	was := discover(t, dir)
	write(t, filepath.Join(dir, ConfigName), "{")
	_, err := Rediscover(dir, was)
	wantError(t, err, protocol.Data, ConfigName)
}

// Moving on inside the room changes the checkout at most, never the room.
func TestAt(t *testing.T) {
	top := temp(t)
	main := repo(t, filepath.Join(top, "main"))
	linked := filepath.Join(top, "linked")
	run(t, main, "worktree", "add", "-q", "-b", "other", linked)
	inner := repo(t, filepath.Join(main, "inner"))
	deep := repo(t, filepath.Join(linked, "deep"))
	stranger := repo(t, filepath.Join(top, "stranger"))
	d := discover(t, main)
	there := d
	there.Git = ask(linked)
	for cwd, want := range map[string]Descriptor{
		main: d, inner: d, stranger: d, top: d, filepath.Join(top, "gone"): d, "relative": d, "": d,
		linked: there, mkdir(t, filepath.Join(linked, "a")): there, deep: there,
	} {
		if diff := cmp.Diff(want, d.At(cwd)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", cwd, diff)
		}
	}
	plain := discover(t, top)
	if diff := cmp.Diff(plain, plain.At(main)); diff != "" {
		t.Error(diff)
	}
}
