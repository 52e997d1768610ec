package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// TestTrust: what an adapter recorded of acc's own modules counts for published ones, and not for those that the checkout
// serves at the same version.
func TestTrust(t *testing.T) {
	const others = "example.com/other v1.0.0 h1:abc=\n"
	const ours = worktree.Prefix + "protocol v0.1.0 h1:def=\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), []byte(ours+others), 0o644); err != nil {
		t.Fatal(err)
	}
	for served, want := range map[bool]string{false: ours + others + "\n", true: others + "\n"} {
		a := &assembly{served: served}
		if err := a.trust(dir); err != nil || string(a.sums) != want {
			t.Errorf("served by the checkout: %v: %q, %v", served, a.sums, err)
		}
	}
	a := &assembly{}
	if err := a.trust(t.TempDir()); err != nil || a.sums != nil {
		t.Errorf("without a go.sum: %q, %v", a.sums, err)
	}
}
