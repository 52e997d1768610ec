package hookrunner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
)

func testFiles(t *testing.T) ownerFiles {
	t.Helper()
	base := t.TempDir()
	store := filepath.Join(base, "store")
	if err := os.Mkdir(store, 0o700); err != nil {
		t.Fatal(err)
	}
	return newOwnerFiles(vfs.OS{}, base, store, nativeworkspace.Session{AdapterID: "vendor", NativeID: "native"})
}

func pair(name string) core.Owner {
	return core.Owner{SessionID: "session_" + name, Generation: "generation-of-" + name}
}

func current(t *testing.T, f ownerFiles) core.Owner {
	t.Helper()
	o, found, err := f.owner()
	if err != nil || !found {
		t.Fatalf("found %v, %v", found, err)
	}
	return o
}

// TestFirstPairStays: whoever comes second uses the pair of the first.
func TestFirstPairStays(t *testing.T) {
	f := testFiles(t)
	if _, found, err := f.owner(); found || err != nil {
		t.Fatalf("found %v, %v before anything", found, err)
	}
	for _, name := range []string{"a", "b"} {
		if err := f.begin(pair(name)); err != nil {
			t.Fatal(err)
		}
		if got := current(t, f); got != pair("a") {
			t.Errorf("after %s: %v", name, got)
		}
	}
}

// TestOneSuccessor: of many hooks that find the same pair ended, one decides what follows; one that
// comes late, with an older pair in mind, changes nothing that lasts.
func TestOneSuccessor(t *testing.T) {
	f := testFiles(t)
	if err := f.begin(pair("a")); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := f.succeed(pair("a"), pair(string(rune('b'+i)))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	second := current(t, f)
	if second == pair("a") {
		t.Fatal("nothing followed")
	}
	if err := f.succeed(second, pair("third")); err != nil {
		t.Fatal(err)
	}
	if err := f.succeed(pair("a"), pair("late")); err != nil {
		t.Fatal(err)
	}
	if got := current(t, f); got != pair("third") {
		t.Errorf("a late one put %v back", got)
	}
	// Another hook chose what follows and was killed before that came into use; or a late one put the third back.
	if err := f.publish(f.after(pair("third")), pair("chosen")); err != nil {
		t.Fatal(err)
	}
	if err := f.succeed(pair("third"), pair("another")); err != nil {
		t.Fatal(err)
	}
	if got := current(t, f); got != pair("chosen") {
		t.Errorf("the chain forked: %v", got)
	}
}

// TestNothingFollowsWhatVanished: the end that comes second finds the files gone with the room, or those of what began
// since, and makes none.
func TestNothingFollowsWhatVanished(t *testing.T) {
	f := testFiles(t)
	if err := f.succeed(pair("a"), pair("b")); err != nil {
		t.Fatal(err)
	}
	if o, found, err := f.owner(); found || err != nil {
		t.Errorf("%v was made, %v", o, err)
	}
	if err := f.begin(pair("c")); err != nil {
		t.Fatal(err)
	}
	if err := f.succeed(pair("a"), pair("b")); err != nil {
		t.Fatal(err)
	}
	if got := current(t, f); got != pair("c") {
		t.Errorf("%v took the place of what began since", got)
	}
}

// TestUnusableFiles: what cannot be read as this conversation's pair is an error, never an absence.
func TestUnusableFiles(t *testing.T) {
	valid := func(t *testing.T, f ownerFiles) string {
		t.Helper()
		data, err := f.encode(pair("a"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	tests := map[string]func(string) string{
		"empty":              func(string) string { return "" },
		"half":               func(s string) string { return s[:len(s)/2] },
		"another version":    func(s string) string { return strings.Replace(s, "1", "2", 1) },
		"an unknown member":  func(s string) string { return strings.Replace(s, "{", `{"x":1,`, 1) },
		"another session's":  func(s string) string { return strings.Replace(s, `"native"`, `"other"`, 1) },
		"another adapter's":  func(s string) string { return strings.Replace(s, `"vendor"`, `"other"`, 1) },
		"a null":             func(s string) string { return strings.Replace(s, `"generation-of-a"`, "null", 1) },
		"no generation":      func(s string) string { return strings.Replace(s, `"generation-of-a"`, `""`, 1) },
		"too large":          func(s string) string { return s + strings.Repeat(" ", maxBindingBytes) },
		"something after it": func(s string) string { return s + "{}" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			f := testFiles(t)
			if err := os.MkdirAll(filepath.Dir(f.current()), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f.current(), []byte(change(valid(t, f))), 0o600); err != nil {
				t.Fatal(err)
			}
			if o, found, err := f.owner(); err == nil {
				t.Errorf("read as %v, found %v", o, found)
			}
			if all, err := ReadOwnerFiles(f.base, f.dir); err != nil || len(all) != 1 || all[0].Err == nil || all[0].SessionID != "" {
				t.Errorf("listed as %v, %v", all, err)
			}
		})
	}
	f := testFiles(t)
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte(valid(t, f)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(f.current()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, f.current()); err != nil {
		t.Fatal(err)
	}
	if o, _, err := f.owner(); err == nil {
		t.Errorf("a link was followed to %v", o)
	}
}

// TestShown: what the context holds belongs to one generation in one client process.
func TestShown(t *testing.T) {
	f := testFiles(t)
	here := opened{owner: pair("a"), pid: 7}
	if _, header := f.shownTo(&here); header {
		t.Error("a header was shown before anything was")
	}
	if err := f.remember(here, []string{"k1", "k2"}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		o      opened
		header bool
		pid    int
	}{
		{"the same", here, true, 7},
		{"a caller that does not know the process", opened{owner: pair("a")}, true, 7},
		{"another process", opened{owner: pair("a"), pid: 8}, false, 8},
		{"another generation", opened{owner: pair("b"), pid: 7}, false, 7},
	}
	for _, tt := range tests {
		known, header := f.shownTo(&tt.o)
		if header != tt.header || header != (len(known) == 2) || tt.o.pid != tt.pid {
			t.Errorf("%s: header %v, known %v, pid %d", tt.name, header, known, tt.o.pid)
		}
	}
	for _, keys := range [][]string{slices.Repeat([]string{strings.Repeat("k", 64)}, maxKnown), {"k3"}} {
		if err := f.remember(here, keys); err != nil {
			t.Fatal(err)
		}
		if known, _ := f.shownTo(&here); !slices.Equal(known, keys) {
			t.Errorf("%d keys are remembered as %q", len(keys), known)
		}
	}
	f.forget()
	if _, header := f.shownTo(&here); header {
		t.Error("forgotten and still shown")
	}
}

// TestReadOwnerFiles: one entry per conversation, without its key.
func TestReadOwnerFiles(t *testing.T) {
	f := testFiles(t)
	if all, err := ReadOwnerFiles(f.base, f.dir); len(all) != 0 || err != nil {
		t.Errorf("%v, %v before anything", all, err)
	}
	if err := f.begin(pair("a")); err != nil {
		t.Fatal(err)
	}
	if err := f.succeed(pair("a"), pair("b")); err != nil {
		t.Fatal(err)
	}
	want := OwnerFile{Path: f.current(), AdapterID: "vendor", SessionID: "session_b", GenerationRef: protocol.GenerationRef("generation-of-b"), Follows: true}
	if all, err := ReadOwnerFiles(f.base, f.dir); err != nil || len(all) != 1 || all[0] != want {
		t.Errorf("%v, %v", all, err)
	}
}
