package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	top := temp(t)
	write(t, filepath.Join(top, "real", "sub", "file"), "x")
	mkdir(t, filepath.Join(top, "other"))
	link(t, "real", filepath.Join(top, "link"))
	link(t, filepath.Join(top, "real", "sub"), filepath.Join(top, "other", "deep"))
	link(t, filepath.Join("..", "real", "new", "file"), filepath.Join(top, "other", "dangling"))
	link(t, "loop2", filepath.Join(top, "loop1"))
	link(t, "loop1", filepath.Join(top, "loop2"))

	for _, c := range []struct {
		path, want string
		exists     bool
	}{
		{"real/sub/file", "real/sub/file", true},
		{"./real//sub/../sub/./file", "real/sub/file", true},
		{"link/sub/file", "real/sub/file", true},
		{"link", "real", true},
		{"other/deep/file", "real/sub/file", true},
		{"other/deep/../sub", "real/sub", true}, // ".." of where the link leads
		{"other/dangling", "real/new/file", false},
		{"link/new/file", "real/new/file", false},
		{"link/new/../sub/file", "real/sub/file", true},
		{"link/new/../../other/deep/x", "real/sub/x", false},
		{"real/sub/file/below", "real/sub/file/below", false},
		{"../" + filepath.Base(top) + "/link", "real", true},
		{".", ".", true},
	} {
		at, err := resolveFrom(filepath.Join(top, "real", "sub"), top+"/"+c.path)
		if again, _ := resolve(top + "/" + c.path); again.path != at.path || again.dir != at.dir {
			t.Errorf("%s: %s when something is known, %s when not", c.path, at.path, again.path)
		}
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if want := filepath.Join(top, c.want); at.path != want || (at.info != nil) != c.exists {
			t.Errorf("%s: %s, exists %v, want %s, %v", c.path, at.path, at.info != nil, want, c.exists)
		}
		if c.exists {
			continue
		}
		if at.missing == nil {
			t.Errorf("%s: no reason why it is missing", c.path)
		}
	}
	if _, err := resolve(filepath.Join(top, "loop1", "x")); err == nil || !strings.Contains(err.Error(), "symbolic links") {
		t.Errorf("loop: error %v", err)
	}
	for _, root := range []string{"/", "//", "/..", "/../.."} {
		if at, err := resolve(filepath.FromSlash(root)); err != nil || at.path != string(filepath.Separator) || at.info == nil {
			t.Errorf("%s: %+v, %v", root, at, err)
		}
	}
}

// folding is a file system that finds names in any letter case, and composed letters for decomposed
// ones, as those of macOS and Windows do. It keeps the names in a real directory.
type folding struct{ top string }

var composed = strings.NewReplacer("e\u0301", "é")

func fold(s string) string { return composed.Replace(strings.ToLower(s)) }

// real finds what path stands for; names that are not there stay.
func (f folding) real(path string) string {
	rel, ok := within(f.top, path)
	if !ok {
		return path
	}
	at := f.top
	for _, name := range split(rel) {
		entries, _ := os.ReadDir(at)
		for _, e := range entries {
			if fold(e.Name()) == fold(name) {
				name = e.Name()
				break
			}
		}
		at = filepath.Join(at, name)
	}
	return at
}

func (f folding) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(f.real(path)) }
func (f folding) Readlink(path string) (string, error)   { return os.Readlink(f.real(path)) }
func (f folding) Names(dir string) ([]string, error)     { return osFileSystem{}.Names(f.real(dir)) }
func (f folding) SameFile(a, b fs.FileInfo) bool         { return os.SameFile(a, b) }

func TestLetterCase(t *testing.T) {
	top := temp(t)
	write(t, filepath.Join(top, "Project", "Src", "Main.go"), "x")
	write(t, filepath.Join(top, "Project", "123", "4"), "x")
	write(t, filepath.Join(top, "Project", "Cafe\u0301", "menu"), "x")
	link(t, "SRC", filepath.Join(top, "Project", "Source"))
	for path, want := range map[string]string{
		"Project/Src/Main.go":       "Project/Src/Main.go",
		"project/SRC/main.GO":       "Project/Src/Main.go",
		"PROJECT/src/New/File":      "Project/Src/New/File", // what is not there keeps its spelling
		"project/123/4":             "Project/123/4",
		"project/source/MAIN.go":    "Project/Src/Main.go", // the link is followed, its target spelled
		"project/CAFÉ/menu":         "Project/Cafe\u0301/menu",
		"project/nothing/../src":    "Project/Src",
		"project/Src/../src/../SRC": "Project/Src",
	} {
		for _, known := range []string{"", top, filepath.Join(top, "Project"), filepath.Join(top, "Project", "Src"), filepath.Join(top, "Project", "123", "4")} {
			r := resolver{fs: folding{top: top}, known: known}
			at, err := r.resolve(top + "/" + path)
			if err != nil || at.path != filepath.Join(top, want) {
				t.Errorf("%s from %q: %s, %v, want %s", path, known, at.path, err, want)
			}
		}
	}
}

// counting tells which names were listed: on a file system that minds letter case nothing is.
type counting struct {
	osFileSystem
	listed int
}

func (c *counting) Names(dir string) ([]string, error) {
	c.listed++
	return c.osFileSystem.Names(dir)
}

func TestWhereLetterCaseMattersNothingIsListed(t *testing.T) {
	top := temp(t)
	write(t, filepath.Join(top, "Name"), "x")
	if _, err := os.Lstat(filepath.Join(top, "nAME")); !errors.Is(err, fs.ErrNotExist) {
		t.Skip("this file system ignores letter case")
	}
	write(t, filepath.Join(top, "name"), "y")
	if err := os.Link(filepath.Join(top, "name"), filepath.Join(top, "NAME")); err != nil {
		t.Fatal(err)
	}
	c := &counting{}
	for path, want := range map[string]string{"Name": "Name", "nAmE": "nAmE"} {
		r := resolver{fs: c}
		if at, err := r.resolve(filepath.Join(top, path)); err != nil || at.path != filepath.Join(top, want) {
			t.Errorf("%s: %+v, %v", path, at, err)
		}
	}
	if c.listed != 0 {
		t.Errorf("%d directories were listed", c.listed)
	}
	// Two names of one file that differ in case look like it does not matter; the spelling stays.
	for _, name := range []string{"name", "NAME"} {
		r := resolver{fs: c}
		if at, err := r.resolve(filepath.Join(top, name)); err != nil || at.path != filepath.Join(top, name) {
			t.Errorf("%s: %+v, %v", name, at, err)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		dir, path, rel string
		ok             bool
	}{
		{"/a", "/a", ".", true},
		{"/a", "/a/b/c", "b/c", true},
		{"/a", "/ab", "", false},
		{"/a/b", "/a", "", false},
		{"/", "/", ".", true},
		{"/", "/a", "a", true},
	} {
		dir, path := filepath.FromSlash(c.dir), filepath.FromSlash(c.path)
		rel, ok := within(dir, path)
		if ok != c.ok || ok && filepath.ToSlash(rel) != c.rel {
			t.Errorf("%s in %s: %q, %v", c.path, c.dir, rel, ok)
		}
	}
}
