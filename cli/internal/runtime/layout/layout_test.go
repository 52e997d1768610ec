package layout

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

func TestSplitGeneration(t *testing.T) {
	hash := "0123456789abcdef01234567"
	for name, ok := range map[string]bool{
		"1.2.3-" + hash:                      true,
		"10.20.30-" + hash:                   true,
		hash:                                 false,
		"-" + hash:                           false,
		"1.2.3" + hash:                       false,
		"1.2.3-" + hash[1:]:                  false,
		"1.2.3-" + strings.ToUpper(hash):     false,
		".1.2-" + hash:                       false,
		"1.2.-" + hash:                       false,
		"..-" + hash:                         false,
		"1/2-" + hash:                        false,
		"1.2.3-0123456789abcdef0123456/":     false,
		strings.Repeat("1", 33) + "-" + hash: false,
	} {
		version, digits, got := SplitGeneration(name)
		if got != ok || ok && GenerationName(version, digits) != name {
			t.Errorf("%q: %q %q %v", name, version, digits, got)
		}
	}
}

// FuzzSplitGeneration: what passes for a generation's name is one element of a path, and not a special one.
func FuzzSplitGeneration(f *testing.F) {
	f.Add("1.2.3-0123456789abcdef01234567")
	f.Add("../..-0123456789abcdef01234567")
	r := In(datahome.Home{Root: filepath.FromSlash("/data")})
	f.Fuzz(func(t *testing.T, name string) {
		if _, _, ok := SplitGeneration(name); ok && (filepath.Base(r.Generation(name)) != name || filepath.Dir(r.Generation(name)) != r.Generations()) {
			t.Errorf("%q leads to %q", name, r.Generation(name))
		}
	})
}

func TestPinsAreApart(t *testing.T) {
	r := In(datahome.Home{Root: filepath.FromSlash("/data")})
	if r.Pin("a", "bc") == r.Pin("ab", "c") || filepath.Dir(r.Pin("a", "../../x")) != r.Pins() {
		t.Error(r.Pin("a", "bc"), r.Pin("ab", "c"))
	}
}
