package installkit_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/protocol"
)

func TestAnotherDataHomeIsLeftAlone(t *testing.T) {
	b := newBench(t, map[string]string{"settings.json": userSettings, "config.toml": userConfig})
	b.install()
	installed := b.tree()
	other := *b
	other.m.Data = filepath.Join(b.home, "other", "acc")
	other.m.Bin = filepath.Join(other.m.Data, "runtime", "bin")
	_, err := other.kit.Plan(context.Background(), other.m)
	if protocol.CodeOf(err) != protocol.Conflict {
		t.Errorf("a second data home may install: %v", err)
	}
	if _, err := other.kit.PlanRemoval(context.Background(), other.m, adapter.RemovalOptions{}); err == nil {
		t.Error("a second data home may uninstall what it did not install")
	}
	// Without files of acc's own the hooks alone tell.
	if err := os.RemoveAll(b.vendor.path("skills")); err != nil {
		t.Fatal(err)
	}
	delete(installed, ".vendor/skills")
	delete(installed, ".vendor/skills/acc")
	delete(installed, ".vendor/skills/acc/SKILL.md")
	if _, err := other.kit.Plan(context.Background(), other.m); protocol.CodeOf(err) != protocol.Conflict || !strings.Contains(err.Error(), "another data home") {
		t.Errorf("a second data home may install: %v", err)
	}
	b.same("after all that", installed)
}

func TestAForeignFileIsLeftAlone(t *testing.T) {
	b := newBench(t, map[string]string{"skills/acc/SKILL.md": "somebody's skill"})
	before := b.tree()
	if _, err := b.kit.Plan(context.Background(), b.m); protocol.CodeOf(err) != protocol.Conflict || !strings.Contains(err.Error(), "SKILL.md") {
		t.Errorf("a foreign file is taken: %v", err)
	}
	b.same("afterwards", before)
}

func TestBadConfigurationsAreLeftAlone(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"open object":                          {"settings.json": "{\n  \"a\": 1\n"},
		"a name twice":                         {"settings.json": "{\"a\": 1, \"a\": 2}"},
		"broken TOML":                          {"config.toml": "a = \n"},
		"a table twice":                        {"config.toml": "[a]\n[a]\n"},
		"half a block":                         {"config.toml": "# >>> acc\n"},
		"a mark that the client does not read": {"plain.json": "\xef\xbb\xbf{}"},
		"wrong shape":                          {"settings.json": "{\"hooks\": []}"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, files)
			before := b.tree()
			_, err := b.kit.Plan(context.Background(), b.m)
			var e *protocol.Error
			if !errors.As(err, &e) || e.Code != protocol.Data || e.Hint == "" {
				t.Fatalf("error %#v", err)
			}
			for file := range files {
				if !strings.Contains(e.Message, b.vendor.path(file)) {
					t.Errorf("%q does not name the file", e.Message)
				}
			}
			b.same("afterwards", before)
			if _, err := os.Lstat(b.m.Data); err == nil {
				t.Error("something was recorded")
			}
		})
	}
}

// TestLinesThatDoNotFit: the user's text is good, and what is wrong is not in any line of it.
func TestLinesThatDoNotFit(t *testing.T) {
	b := newBench(t, map[string]string{"config.toml": "hooks = [{event = 'Stop', command = 'true'}]\n"})
	before := b.tree()
	_, err := b.kit.Plan(context.Background(), b.m)
	if protocol.CodeOf(err) != protocol.Data || !strings.Contains(err.Error(), "do not fit at its end: ") || strings.Contains(err.Error(), ": line ") {
		t.Errorf("%v", err)
	}
	b.same("afterwards", before)
}

func TestASymlinkedConfigurationIsLeftAlone(t *testing.T) {
	b := newBench(t, map[string]string{"real.json": "{}"})
	if err := os.Symlink("real.json", b.vendor.path("settings.json")); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege there: ", err)
		}
		t.Fatal(err)
	}
	before := b.tree()
	if _, err := b.kit.Plan(context.Background(), b.m); protocol.ReasonOf(err) != protocol.ReasonPathUnsafe {
		t.Errorf("error %v", err)
	}
	b.same("afterwards", before)
}

// countdown is a context that ends after a number of looks at it.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestAFailureAnywhereTakesEverythingBack lets each step in turn be the one that fails.
func TestAFailureAnywhereTakesEverythingBack(t *testing.T) {
	for k := 0; ; k++ {
		b := newBench(t, map[string]string{"settings.json": userSettings})
		before := b.tree()
		left := k
		err := b.plan().Apply(countdown{context.Background(), &left})
		if err == nil {
			if k != 3 {
				t.Errorf("%d steps were checked, there are 3", k)
			}
			break
		}
		if protocol.CodeOf(err) != protocol.Timeout {
			t.Errorf("step %d: %v", k, err)
		}
		b.same("after a failure", before)
		if _, err := os.Lstat(filepath.Join(b.m.Data, installkit.RecordName)); err == nil {
			t.Errorf("step %d: a record stayed", k)
		}
		b.install()
		installed := b.tree()
		left = k
		p, err := b.kit.PlanRemoval(context.Background(), b.m, adapter.RemovalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Apply(countdown{context.Background(), &left}); err == nil {
			t.Errorf("removal step %d did not fail", k)
		}
		b.same("after a failed removal", installed)
		b.uninstall(adapter.RemovalOptions{})
		b.same("in the end", before)
	}
}

// crash is a context that ends the process, as far as the kit can tell, after a number of looks at it.
type crash struct {
	context.Context
	left *int
}

func (c crash) Err() error {
	if *c.left--; *c.left < 0 {
		panic(c)
	}
	return nil
}

// crashes applies a plan until it is cut off; it says whether it was.
func crashes(t *testing.T, p *adapter.Plan, after int) (cut bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(crash); !ours {
				panic(r)
			}
			cut = true
		}
	}()
	if err := p.Apply(crash{context.Background(), &after}); err != nil {
		t.Fatal(err)
	}
	return false
}

// TestACrashAnywhereLeavesNothingUnknown ends the process in front of each step of an installation and
// of a removal. Doctor says so, and both ways out are open: installing again and uninstalling.
func TestACrashAnywhereLeavesNothingUnknown(t *testing.T) {
	files := map[string]string{"settings.json": userSettings, "config.toml": userConfig}
	cuts := 0
	for _, removing := range []bool{false, true} {
		for _, again := range []bool{false, true} {
			for k := range 4 {
				b := newBench(t, files)
				before := b.tree()
				p := b.plan()
				if removing {
					b.install()
					var err error
					if p, err = b.kit.PlanRemoval(context.Background(), b.m, adapter.RemovalOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				if !crashes(t, p, k) {
					continue
				}
				cuts++
				b.write(".acc-partial-0123456789abcdef", "half of a file") // as being killed while writing leaves it
				if d, err := b.kit.Doctor(context.Background(), b.m); err != nil || !d.Unfinished || len(d.Problems) == 0 {
					t.Errorf("removing %v, step %d: doctor says %+v, %v", removing, k, d, err)
				}
				if again {
					b.install()
					if d, err := b.kit.Doctor(context.Background(), b.m); err != nil || d.Unfinished || len(d.Intact) != 3 {
						t.Errorf("removing %v, step %d, installed again: doctor says %+v, %v", removing, k, d, err)
					}
				}
				b.uninstall(adapter.RemovalOptions{})
				b.same("in the end", before)
				if _, err := os.Lstat(filepath.Join(b.m.Data, installkit.RecordName)); err == nil {
					t.Errorf("removing %v, step %d: a record stayed", removing, k)
				}
			}
		}
	}
	if cuts != 12 {
		t.Errorf("%d cuts, not 12", cuts)
	}
}

func TestAClientThatRefusesIsRolledBack(t *testing.T) {
	b := newBench(t, map[string]string{"config.toml": userConfig})
	before := b.tree()
	calls := 0
	b.vendor.verify = func() error {
		if calls++; calls == 2 {
			return errors.New("unknown key")
		}
		return nil
	}
	if err := b.plan().Apply(context.Background()); err == nil || !strings.Contains(err.Error(), "unknown key") {
		t.Errorf("error %v", err)
	}
	b.same("after the client refused", before)
	b.vendor.verify = func() error { return errors.New("it was broken before") }
	if err := b.plan().Apply(context.Background()); err == nil || !strings.Contains(err.Error(), "broken before") {
		t.Errorf("error %v", err)
	}
	b.same("when it was broken before", before)
	if _, err := os.Lstat(filepath.Join(b.m.Data, installkit.RecordName)); err == nil {
		t.Error("a record stayed")
	}
}

func TestAFileThatChangedAfterThePlan(t *testing.T) {
	b := newBench(t, map[string]string{"config.toml": userConfig})
	p := b.plan()
	b.write("config.toml", "other = 1\n")
	before := b.tree()
	if err := p.Apply(context.Background()); protocol.CodeOf(err) != protocol.Conflict || !strings.Contains(err.Error(), "config.toml") {
		t.Errorf("error %v", err)
	}
	b.same("afterwards", before)
}

func TestAnInterruptedInstallationIsFinished(t *testing.T) {
	b := newBench(t, map[string]string{"settings.json": userSettings})
	before := b.tree()
	b.install()
	// As a crash leaves it: the record says what was meant to be, only some of it is there.
	path := filepath.Join(b.m.Data, installkit.RecordName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), `"directories"`, "\"unfinished\": true,\n      \"directories\"", 1))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	b.write("settings.json", userSettings)
	d, err := b.kit.Doctor(context.Background(), b.m)
	if err != nil || !d.Unfinished {
		t.Errorf("doctor: %+v %v", d, err)
	}
	half := b.tree()
	p, err := b.kit.PlanRemoval(context.Background(), b.m, adapter.RemovalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_ = p
	b.same("after planning", half)
	b.install()
	if d, _ := b.kit.Doctor(context.Background(), b.m); d.Unfinished || len(d.Missing) > 0 {
		t.Errorf("doctor after finishing: %+v", d)
	}
	b.uninstall(adapter.RemovalOptions{})
	b.same("after uninstalling", before)
}

func TestClientMarkersDoNotCount(t *testing.T) {
	b := newBench(t, nil)
	b.install()
	b.write("skills/acc/.in_use/4711", "")
	d, err := b.kit.Doctor(context.Background(), b.m)
	if err != nil || len(d.Intact) != 3 {
		t.Errorf("doctor: %+v, %v", d, err)
	}
	b.vendor.busy = "skills"
	p := b.uninstall(adapter.RemovalOptions{})
	if len(p.Kept) != 1 || b.read("skills/acc/SKILL.md") == "" {
		t.Errorf("a file in use went: %+v", p.Kept)
	}
	b.vendor.busy = ""
	b.uninstall(adapter.RemovalOptions{})
	b.same("after uninstalling", map[string]string{})
}

func TestABrokenRecordIsNotGuessedAt(t *testing.T) {
	b := newBench(t, nil)
	b.install()
	path := filepath.Join(b.m.Data, installkit.RecordName)
	for _, text := range []string{"", "{}", `{"schemaVersion":2,"clients":[]}`, `{"schemaVersion":1,"clients":[],"more":1}`, `{"schemaVersion":1,"clients":[{"adapter":"vendor","root":"rel","version":"1","installedAt":"2026-11-30T12:00:00.000Z","files":[]}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := b.tree()
		if _, err := b.kit.Plan(context.Background(), b.m); protocol.CodeOf(err) != protocol.Data || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: plan %v", text, err)
		}
		if _, err := b.kit.PlanRemoval(context.Background(), b.m, adapter.RemovalOptions{}); protocol.CodeOf(err) != protocol.Data {
			t.Errorf("%q: removal %v", text, err)
		}
		b.same("afterwards", before)
	}
}

func TestAProbeIsBounded(t *testing.T) {
	b := newBench(t, nil)
	for setting, want := range map[string]time.Duration{"": 3 * time.Second, "500": 500 * time.Millisecond, "x": 3 * time.Second, "99999999": time.Minute} {
		b.m.Env = func(name string) string { return map[string]string{"ACC_PROBE_TIMEOUT_MS": setting}[name] }
		b.m.Run = func(ctx context.Context, _ adapter.ClientCommand) ([]byte, error) {
			deadline, ok := ctx.Deadline()
			// A deadline of the past would mean that the limit was not taken from the setting.
			if left := time.Until(deadline); !ok || left > want || left < want-time.Minute/2 {
				t.Errorf("%q: a deadline in %v, %v", setting, left, ok)
			}
			return []byte("tool 1.2.3-beta.1 (abc)"), nil
		}
		b.m.LookPath = func(string) string { return "/nowhere/tool" }
		d, err := installkit.Find(context.Background(), b.m, installkit.Search{Command: "tool", RootDefault: ".tool", VersionArgs: []string{"-v"}})
		if err != nil || d.Version != "1.2.3-beta.1" {
			t.Errorf("%+v, %v", d, err)
		}
	}
}
