package fileproxy

import (
	"slices"
	"testing"
)

// TestPrivateModulesStayPrivate: a vendor's own module is in no checksum database.
func TestPrivateModulesStayPrivate(t *testing.T) {
	for _, c := range []struct{ private, unlisted, want string }{
		{"", "", "GONOSUMDB=github.com/acc-control-plane/acc/*,more.example"},
		{"vendor.example/*", "", "GONOSUMDB=github.com/acc-control-plane/acc/*,more.example,vendor.example/*"},
		{"vendor.example/*", "other.example", "GONOSUMDB=github.com/acc-control-plane/acc/*,more.example,other.example"},
	} {
		t.Setenv("GOPRIVATE", c.private)
		t.Setenv("GONOSUMDB", c.unlisted)
		if got := In(t.TempDir(), "more.example").Exports(); !slices.Contains(got, c.want) {
			t.Errorf("GOPRIVATE=%s GONOSUMDB=%s: %q", c.private, c.unlisted, got)
		}
	}
}
