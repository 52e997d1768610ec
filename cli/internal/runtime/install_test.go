package runtime

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/launch/pin"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// TestPackage: a program finds the release that it lies in, if that is its own.
func TestPackage(t *testing.T) {
	w := emptyWorld(t)
	dir := w.unpacked("1.0.0", 0)
	self := filepath.Join(dir, "bin", programFile("acc"))
	r, found := Package(self, buildOf("1.0.0"))
	if !found || r.Dir != dir || r.Version != "1.0.0" || !cmp.Equal(r.Programs, []string{"acc", "acc-hook", "acc-mcp"}) {
		t.Errorf("%+v, %v", r, found)
	}
	for name, id := range map[string]string{"another build": buildOf("1.1.0"), "a build from source": ""} {
		if _, found := Package(self, id); found {
			t.Errorf("%s found a release", name)
		}
	}
	if _, found := Package(filepath.Join(t.TempDir(), "bin", "acc"), buildOf("1.0.0")); found {
		t.Error("found a release where there is none")
	}
}

// TestStageCopy: a release is copied as it is declared, and stays where it was.
func TestStageCopy(t *testing.T) {
	w := emptyWorld(t)
	dir := w.unpacked("1.0.0", 0)
	if err := os.WriteFile(filepath.Join(dir, "notes"), []byte("not declared"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := w.m.StageCopy(w.ctx(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if _, err := w.m.installed(s.Name); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "bin", programFile("acc"))); err != nil {
		t.Error(err)
	}
	if err := flip(filepath.Join(dir, "bin", programFile("acc"))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.StageCopy(w.ctx(), dir); protocol.ReasonOf(err) != ReasonGenerationDamaged {
		t.Errorf("%v", err)
	}
}

// TestInstallAgain: installing what is active keeps the choices and mends the launch paths.
func TestInstallAgain(t *testing.T) {
	w := newWorld(t)
	if err := w.m.SetAuto(w.ctx(), false); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(w.m.at.Bin(), programFile("acc-hook"))
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	s := w.stage("1.0.0", 0)
	how, err := w.m.Install(w.ctx(), s, "/home/ben", nil, true)
	if err != nil || how != Same {
		t.Fatal(how, err)
	}
	if _, err := os.Lstat(hook); err != nil {
		t.Error(err)
	}
	if c := w.control(); c.Auto || c.Home != "/home/ana" || !cmp.Equal(c.Targets, []string{"one", "two"}) {
		t.Errorf("%+v", c)
	}
}

// TestWiring: what is wired is kept, and with the last client the sessions' pins go.
func TestWiring(t *testing.T) {
	w := newWorld(t)
	self, ok := process.Table{}.Identify(os.Getpid())
	if !ok {
		t.Skip("this process cannot be identified")
	}
	g := w.control().Active
	p := pin.Record{AdapterID: "one", SessionID: "s", Generation: g.Name, BuildID: g.BuildID, StoreContract: g.StoreContract, Client: self, CreatedAt: w.m.moment()}
	path := w.m.at.Pin("one", "s")
	if err := write(w.m, path, pin.Form(), &p); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		do     func() error
		want   []string
		pinned bool
	}{
		{func() error { return w.m.Wire(w.ctx(), "/home/ana", []string{"three", "one"}) }, []string{"one", "three", "two"}, true},
		{func() error { return w.m.Unwire(w.ctx(), []string{"one", "none"}) }, []string{"three", "two"}, true},
		{func() error { return w.m.Unwire(w.ctx(), []string{"two", "three"}) }, []string{}, false},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, append([]string{}, w.control().Targets...)); diff != "" {
			t.Error(diff)
		}
		if _, err := os.Lstat(path); (err == nil) != step.pinned {
			t.Errorf("%v", err)
		}
	}
}

// TestUnmanage: the managed runtime is given up when nobody runs, and what lies in bin then runs as it is.
func TestUnmanage(t *testing.T) {
	w := newWorld(t)
	holder := w.hold("command")
	if err := w.m.Unmanage(w.ctx()); protocol.ReasonOf(err) != ReasonProcessesActive {
		t.Errorf("%v", err)
	}
	holder.end(t)
	if err := w.m.Unmanage(w.ctx()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(w.m.at.Control()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if version, complaint := w.hook("s"); version != "1.0.0" || complaint != "" {
		t.Errorf("%q %q", version, complaint)
	}
}
