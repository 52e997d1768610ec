package nativeworkspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
)

// TestDamaged: a torn record and one under another session's name are found; a whole one and other files are not.
func TestDamaged(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := datahome.Home{Root: root}
	env := func(string) string { return "" }
	if got, err := nativeworkspace.Damaged(home); len(got) != 0 || err != nil {
		t.Errorf("%v, %v before anything", got, err)
	}
	s := nativeworkspace.Session{AdapterID: "vendor", NativeID: "native"}
	if _, _, err := nativeworkspace.Establish(t.Context(), home, env, s, t.TempDir(), true); err != nil {
		t.Fatal(err)
	}
	if got, err := nativeworkspace.Damaged(home); len(got) != 0 || err != nil {
		t.Errorf("%v, %v of a whole record", got, err)
	}
	dir := home.NativeWorkspaces()
	whole, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(s.Ref(), "acc://")+".json"))
	if err != nil {
		t.Fatal(err)
	}
	torn, foreign := strings.Repeat("0", 64)+".json", strings.Repeat("1", 64)+".json"
	for name, data := range map[string][]byte{torn: whole[:9], foreign: whole, "notes.json": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := nativeworkspace.Damaged(home)
	if err != nil || len(got) != 2 || got[0].Path != filepath.Join(dir, torn) || got[1].Path != filepath.Join(dir, foreign) || got[0].Err == nil || got[1].Err == nil {
		t.Errorf("%+v, %v", got, err)
	}
}
