package runtime

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

// TestUpdate is the plain way: 1.0.0 runs, 1.1.0 is published and activated, everybody who starts runs it, and
// 1.0.0 is reclaimed.
func TestUpdate(t *testing.T) {
	w := newWorld(t)
	first := w.control().Active
	if got, complaint := w.hook("s"); got != "1.0.0" || complaint != "" {
		t.Fatalf("%q %q", got, complaint)
	}
	next := w.publish("1.1.0", 0)
	if got, _ := w.hook("s"); got != "1.0.0" {
		t.Errorf("a pending release ran: %q", got)
	}
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.hook("s"); got != "1.1.0" {
		t.Errorf("%q after the activation", got)
	}
	c := w.control()
	if c.Phase != Ready || c.Active.Name != next.Name || c.Pending != nil {
		t.Errorf("%+v", c)
	}
	for _, id := range []string{"one", "two"} {
		if conf, err := os.ReadFile(filepath.Join(w.home.Root, id+".conf")); err != nil || string(conf) != "1.1.0" {
			t.Errorf("client %s: %q, %v", id, conf, err)
		}
	}
	report, err := w.m.Reclaim(w.ctx())
	if err != nil || !report.Complete || !cmp.Equal(report.Removed, []string{first.Name}) {
		t.Errorf("%+v, %v", report, err)
	}
	if names, err := w.m.generations(); err != nil || !cmp.Equal(names, []string{next.Name}) {
		t.Errorf("%v, %v", names, err)
	}
	for _, path := range []string{w.m.at.Users(first.Name), w.m.at.Management(first.Name)} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// TestUnmanagedRunsAsItIs: without a record a lock alone changes nothing.
func TestUnmanagedRunsAsItIs(t *testing.T) {
	w := emptyWorld(t)
	if err := os.MkdirAll(w.m.at.Bin(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(programs["1.1.0"], filepath.Join(w.m.at.Bin(), "acc-hook")); err != nil {
		t.Fatal(err)
	}
	if got, complaint := w.hook("s"); got != "1.1.0" || complaint != "" {
		t.Errorf("%q %q", got, complaint)
	}
	if entries, err := os.ReadDir(w.m.at.Dir); err != nil || len(entries) != 1 {
		t.Errorf("something was made: %v, %v", entries, err)
	}
	if managed, err := w.m.Managed(); managed || err != nil {
		t.Error(managed, err)
	}
	if _, err := w.m.Reclaim(w.ctx()); protocol.ReasonOf(err) != ReasonUnmanaged {
		t.Error(err)
	}
}
