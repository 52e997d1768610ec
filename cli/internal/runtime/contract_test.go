package runtime

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// TestMissingContractIsRecovered: a pointer without a contract gets it from exactly that generation, and from
// nothing that is not wholly what it was.
func TestMissingContractIsRecovered(t *testing.T) {
	w := newWorld(t)
	g := w.control().Active
	g.StoreContract = 0
	got, err := w.m.complete(g)
	if err != nil || got.StoreContract != protocol.StoreVersion {
		t.Fatalf("%+v, %v", got, err)
	}
	declared := g
	declared.StoreContract = 99
	if got, err := w.m.complete(declared); err != nil || got != declared {
		t.Errorf("what was declared was not kept: %+v, %v", got, err)
	}
	another := g
	another.BuildID = buildOf("9.9.9")
	if _, err := w.m.complete(another); protocol.ReasonOf(err) != ReasonGenerationDamaged {
		t.Errorf("another build: %v", err)
	}
	bin := filepath.Join(w.m.at.Generation(g.Name), "bin", programFile("acc-mcp"))
	for name, damage := range map[string]func() error{
		"mode": func() error { return os.Chmod(bin, 0o755) },
		"set-user-id": func() error {
			if runtime.GOOS == "windows" {
				return os.Remove(bin)
			}
			return os.Chmod(bin, 0o700|os.ModeSetuid)
		},
		"content":   func() error { return flip(bin) },
		"extra":     func() error { return os.WriteFile(filepath.Join(filepath.Dir(bin), "more"), nil, 0o600) },
		"truncated": func() error { return os.Truncate(bin, 1) },
		"gone":      func() error { return os.Remove(bin) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			bin = filepath.Join(w.m.at.Generation(g.Name), "bin", programFile("acc-mcp"))
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			if _, err := w.m.complete(g); protocol.ReasonOf(err) != ReasonGenerationDamaged {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestRecordIsCompleted: a pass of the worker completes the record, and only then sessions stay where they began.
func TestRecordIsCompleted(t *testing.T) {
	w := newWorld(t)
	w.publish("1.1.0", 0)
	if version, _ := w.hook("pinned", pid()); version != "1.0.0" {
		t.Fatal(version)
	}
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(w.m.at.Generation(w.control().Active.Name), "bin", programFile("acc-mcp"))
	for _, damaged := range []bool{true, false} {
		w.set(func(c *control) { c.Active.StoreContract = 0 })
		if version, _ := w.hook("pinned"); version != "1.1.0" {
			t.Errorf("a pin counts although nobody knows the contract of the active generation: %q", version)
		}
		if err := flip(bin); err != nil { // the first time it is damaged, the second time whole again
			t.Fatal(err)
		}
		if _, err := w.m.Reclaim(w.ctx()); err != nil {
			t.Fatal(err)
		}
		if got, want := w.control().Active.StoreContract, map[bool]int{true: 0, false: protocol.StoreVersion}[damaged]; got != want {
			t.Errorf("contract %d, want %d", got, want)
		}
	}
	if version, _ := w.hook("pinned"); version != "1.0.0" {
		t.Errorf("%q", version)
	}
}

// flip changes one bit in the middle of a file, and keeps its size and mode.
func flip(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 1
	return os.WriteFile(path, data, 0o700)
}

func programFile(name string) string {
	here, _ := release.ThisPlatform()
	return here.Executable(name)
}

// TestTamperedStaging: what is not wholly what its manifest declares is not taken in, and what was changed after it
// was taken in does not become active.
func TestTamperedStaging(t *testing.T) {
	for name, tamper := range map[string]func(dir string) error{
		"a bit":        func(dir string) error { return flip(filepath.Join(dir, "bin", programFile("acc"))) },
		"the manifest": func(dir string) error { return flip(filepath.Join(dir, release.ManifestName)) },
		"a file more":  func(dir string) error { return os.WriteFile(filepath.Join(dir, "bin", "sh"), nil, 0o700) },
		"a link": func(dir string) error {
			bin := filepath.Join(dir, "bin", programFile("acc"))
			if err := os.Rename(bin, filepath.Join(filepath.Dir(filepath.Dir(dir)), "acc-elsewhere")); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(filepath.Dir(filepath.Dir(dir)), "acc-elsewhere"), bin)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			dir := w.unpacked("1.1.0", 0)
			if err := tamper(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := w.m.Stage(w.ctx(), dir); protocol.ReasonOf(err) != ReasonGenerationDamaged {
				t.Errorf("staged: %v", err)
			}
			if name == "the manifest" {
				return // another manifest is another generation
			}
			next := w.publish("1.1.0", 0)
			if err := tamper(w.m.at.Generation(next.Name)); err != nil {
				t.Fatal(err)
			}
			if err := w.activate(); protocol.ReasonOf(err) != ReasonGenerationDamaged {
				t.Errorf("activated: %v", err)
			}
			if c := w.control(); c.Active.Version != "1.0.0" || c.Phase != Ready {
				t.Errorf("%+v", c)
			}
			// Staging the same release again puts it right.
			w.publish("1.1.0", 0)
			if err := w.activate(); err != nil {
				t.Errorf("not put right: %v", err)
			}
		})
	}
}

// TestEveryFileOfAGenerationCounts: a bit anywhere in any file of a pending generation keeps the old one active, and the
// file is named.
func TestEveryFileOfAGenerationCounts(t *testing.T) {
	w := newWorld(t)
	next := w.publish("1.1.0", 0)
	dir := w.m.at.Generation(next.Name)
	c, err := w.m.installed(next.Name)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{release.ManifestName}
	for _, f := range c.manifest.Files {
		paths = append(paths, f.Path)
	}
	for _, path := range paths {
		file := filepath.Join(dir, filepath.FromSlash(path))
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			whole[at] ^= 1
			if err := os.WriteFile(file, whole, info.Mode().Perm()); err != nil {
				t.Fatal(err)
			}
			err := w.activate()
			if named := err != nil && (strings.Contains(err.Error(), path) || path == release.ManifestName); protocol.ReasonOf(err) != ReasonGenerationDamaged || !named {
				t.Errorf("%s at %d: %v", path, at, err)
			}
			if c := w.control(); c.Active.Version != "1.0.0" || c.Phase != Ready {
				t.Errorf("%s at %d: %+v", path, at, c)
			}
			whole[at] ^= 1
		}
		if err := os.WriteFile(file, whole, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.activate(); err != nil {
		t.Error(err)
	}
}

// TestRefusals: what must not follow the active generation does not.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	publish := func(version string, contract int, edit func(m *release.Manifest)) error {
		t.Helper()
		dir := w.unpacked(version, contract)
		if edit != nil {
			raw, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
			if err != nil {
				t.Fatal(err)
			}
			m, err := release.DecodeManifest(raw)
			if err != nil {
				t.Fatal(err)
			}
			edit(m)
			if raw, err = m.Encode(); err == nil {
				err = os.WriteFile(filepath.Join(dir, release.ManifestName), raw, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s, err := w.m.Stage(w.ctx(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Release()
		return w.m.Publish(w.ctx(), s)
	}
	for _, c := range []struct {
		name, version string
		contract      int
		edit          func(m *release.Manifest)
		want          protocol.Reason
	}{
		{"older", "0.9.0", 0, nil, ReasonOlder},
		{"an older contract", "2.0.0", protocol.StoreVersion - 1, nil, ReasonContract},
		{"a vendor's adapter is missing", "2.0.0", 0, func(m *release.Manifest) { m.Adapters = []string{"one"} }, ReasonAdapterMissing},
		{"active already", "1.0.0", 0, nil, ReasonStateChanged},
	} {
		if err := publish(c.version, c.contract, c.edit); protocol.ReasonOf(err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if c := w.control(); c.Pending != nil {
		t.Errorf("%+v", c.Pending)
	}
	if err := w.activate(); protocol.ReasonOf(err) != ReasonNothingPending {
		t.Error(err)
	}
	// A pending release that has not been activated yields to a later one, and to no earlier.
	if err := publish("1.2.0", 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := publish("1.3.0", 0, nil); err != nil {
		t.Fatal(err)
	}
	if c := w.control(); c.Pending.Version != "1.3.0" {
		t.Errorf("%+v", c.Pending)
	}
	// The older one is not the pinned version's fault: a pin chooses what is looked for, never what is active.
	if err := w.m.SetPin(w.ctx(), "0.9.0"); err != nil {
		t.Fatal(err)
	}
	if err := publish("0.9.0", 0, nil); protocol.ReasonOf(err) != ReasonOlder {
		t.Error(err)
	}
	s := w.stage("0.9.0", 0)
	if err := w.m.Downgrade(w.ctx(), s); err != nil {
		t.Fatal(err)
	}
	s.Release()
	if err := w.activate(); err != nil {
		t.Fatal(err)
	}
	if c := w.control(); c.Active.Version != "0.9.0" || c.Downgrade {
		t.Errorf("%+v", c)
	}
}
