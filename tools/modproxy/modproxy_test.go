package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/acc-control-plane/acc/tools/fileproxy"
	"github.com/acc-control-plane/acc/tools/worktree"
)

// tree lays testdata/tree.txtar out in a directory of its own, out of reach of any network.
func tree(t *testing.T) string {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	a, err := txtar.ParseFile(filepath.Join("testdata", "tree.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := txtar.Write(a, root); err != nil {
		t.Fatal(err)
	}
	return root
}

// snapshot is every file of root with its content and the time it was last written.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = info.ModTime().String() + "\n" + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCheckNamesWhatIsWantedAndWritesNothing(t *testing.T) {
	root := tree(t)
	before := snapshot(t, root)
	err := Tidy(root, true, nil)
	if err == nil {
		t.Fatal("an untidy tree passed")
	}
	for _, want := range []string{
		"alpha: not tidy",
		"go run ./tools/modproxy tidy alpha",
		"go.mod: + require github.com/acc-control-plane/acc/beta v0.1.0",
		"gamma: not tidy",
		"go.mod: - require github.com/acc-control-plane/acc/beta v0.1.0",
		"go.sum: - example.com/unused",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "beta: not tidy") {
		t.Errorf("a tidy module was complained about:\n%v", err)
	}
	if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
		t.Errorf("-check changed the work tree:\n%s", diff)
	}
}

func TestTidyMendsWhatCheckFinds(t *testing.T) {
	root := tree(t)
	if err := Tidy(root, false, []string{"alpha"}); err != nil {
		t.Fatal(err)
	}
	if err := Tidy(root, true, []string{"./alpha/"}); err != nil {
		t.Errorf("alpha is not tidy after it was tidied: %v", err)
	}
	if err := Tidy(root, true, []string{"gamma"}); err == nil {
		t.Error("tidying alpha also tidied gamma")
	}
	if err := Tidy(root, false, nil); err != nil {
		t.Fatal(err)
	}
	if err := Tidy(root, true, nil); err != nil {
		t.Errorf("not tidy after everything was tidied: %v", err)
	}
	for _, name := range []string{"alpha/go.sum", "gamma/go.sum"} {
		if data, err := os.ReadFile(filepath.Join(root, name)); err == nil {
			t.Errorf("%s should be absent: siblings leave no hashes; it says\n%s", name, data)
		}
	}
}

func TestRunsDoNotDisturbOneAnother(t *testing.T) {
	root := tree(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := Tidy(root, false, nil); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			// The others may have finished or not; that the files are whole is what counts.
			if err := Tidy(root, true, nil); err != nil && !strings.Contains(err.Error(), "not tidy") {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := Tidy(root, true, nil); err != nil {
		t.Error(err)
	}
	for name := range snapshot(t, root) {
		if strings.Contains(name, ".modproxy-") {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestAnUnknownModuleIsRefused(t *testing.T) {
	err := Tidy(tree(t), false, []string{"delta"})
	if err == nil || !strings.Contains(err.Error(), "no module at delta") {
		t.Errorf("got %v", err)
	}
}

func TestABrokenModuleIsNamedAndTheOthersAreTidied(t *testing.T) {
	root := tree(t)
	if err := os.WriteFile(filepath.Join(root, "beta", "go.mod"), []byte("module github.com/acc-control-plane/acc/beta\n\nrequire nonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := Tidy(root, false, []string{"beta", "alpha/nested"})
	if err == nil || !strings.Contains(err.Error(), "beta: go mod tidy") {
		t.Errorf("got %v", err)
	}
	if err := Tidy(root, true, []string{"alpha/nested"}); err != nil {
		t.Errorf("a module was not tidied because another one failed: %v", err)
	}
}

func TestPackServesEveryModuleButTheLinter(t *testing.T) {
	root, proxy := tree(t), t.TempDir()
	if err := fileproxy.Pack(root, proxy); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range snapshot(t, proxy) {
		if dir, ok := strings.CutSuffix(name, "/@v/"+worktree.Version+".zip"); ok {
			got = append(got, strings.TrimPrefix(dir, worktree.Prefix))
		}
	}
	want := map[string]bool{"alpha": true, "alpha/nested": true, "beta": true, "gamma": true}
	have := map[string]bool{}
	for _, name := range got {
		have[name] = true
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("packed modules (-want +got):\n%s", diff)
	}
}

func TestTags(t *testing.T) {
	root := tree(t)
	got, err := Tags(root, worktree.Version)
	if err != nil {
		t.Fatal(err)
	}
	v := worktree.Version
	if diff := cmp.Diff([]string{v, "alpha/" + v, "alpha/nested/" + v, "beta/" + v, "gamma/" + v}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, version := range []string{"", "0.1.0", "v0.1", "v9.9.9"} {
		if tags, err := Tags(root, version); err == nil {
			t.Errorf("%q: %v", version, tags)
		}
	}
}
