package endtoend

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/tarball"
	"github.com/acc-control-plane/acc/tools/release/builder"
	"github.com/acc-control-plane/acc/tools/worktree"
)

// TestTheSameBytesAgain builds a release once more, from a copy of the sources in another place and with an empty
// cache of the compiler.
func TestTheSameBytesAgain(t *testing.T) {
	expensive(t)
	r := theReleases(t)
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "some other", "place")
	copyTree(t, root, elsewhere)
	t.Setenv("GOCACHE", t.TempDir())
	again := t.TempDir()
	if err := builder.Build(t.Context(), options(elsewhere, again, first, r.key)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(r.dirs[first])
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		one, err := os.ReadFile(filepath.Join(r.dirs[first], e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(again, e.Name()))
		if err != nil || !bytes.Equal(one, other) {
			t.Errorf("%s differs: %v", e.Name(), err)
		}
	}
	if more, _ := os.ReadDir(again); len(more) != len(entries) {
		t.Errorf("%d files instead of %d", len(more), len(entries))
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), content, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryPlatform builds for all of them, as a release is published.
func TestEveryPlatform(t *testing.T) {
	expensive(t)
	r := theReleases(t)
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	o := options(root, t.TempDir(), first, r.key)
	o.Platforms = release.Platforms
	if err := builder.Build(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, p := range release.Platforms {
		archive, err := os.ReadFile(filepath.Join(o.Out, "example-acc-"+p.Name+"-"+first+".tgz"))
		if err != nil {
			t.Fatal(err)
		}
		opened, err := tarball.Open(bytes.NewReader(archive), r.keys)
		if err != nil {
			t.Fatal(err)
		}
		if opened.Manifest.Platform != p.Name || ids[opened.Manifest.BuildID] {
			t.Errorf("%s: %+v", p.Name, opened.Manifest)
		}
		ids[opened.Manifest.BuildID] = true
		plain := filepath.Join(o.Out, "acc-"+first+"-"+p.Name)
		if p.GOOS != "windows" {
			if _, err := os.Stat(plain + ".tar.gz"); err != nil {
				t.Error(err)
			}
			continue
		}
		files, err := zip.OpenReader(plain + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		if len(files.File) != len(opened.Manifest.Files)+2 {
			t.Errorf("the zip has %d files", len(files.File))
		}
		_ = files.Close()
	}
}
