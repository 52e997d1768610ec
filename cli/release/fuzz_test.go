package release_test

import (
	"path"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// FuzzManifest gives the decoder arbitrary bytes. What it takes can be written and read again, and names only
// files that lie where they should.
func FuzzManifest(f *testing.F) {
	data, err := sample().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := release.DecodeManifest(data)
		if err != nil {
			if protocol.ReasonOf(err) != release.ReasonManifestInvalid {
				t.Fatal(err)
			}
			return
		}
		seen := map[string]bool{}
		for _, file := range m.Files {
			folded := strings.ToLower(file.Path)
			if path.IsAbs(file.Path) || path.Clean(file.Path) != file.Path || strings.HasPrefix(file.Path, "..") || strings.ContainsAny(file.Path, "\\:\x00") || seen[folded] {
				t.Fatalf("accepted the path %q", file.Path)
			}
			seen[folded] = true
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := release.DecodeManifest(again); err != nil {
			t.Fatal(err)
		}
	})
}
