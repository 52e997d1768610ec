package installkit_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/protocol"
)

const (
	userSettings = "{\n  // mine\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n    ]\n  }\n}"
	userConfig   = "model = \"m\" # the good one\n\n[sandbox]\nroots = [\n  '/home/u/cache', # cache\n]\n"
)

func TestInstallThenUninstallLeavesTheHome(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing there": {},
		"other files":   {"settings.json": userSettings, "config.toml": userConfig, "skills/other/SKILL.md": "mine"},
		"empty files":   {"settings.json": "", "config.toml": ""},
		"bare files":    {"settings.json": "{}\n", "config.toml": "x = 1"},
		"CRLF":          {"settings.json": "\xef\xbb\xbf{\r\n\t\"a\": [],\r\n}\r\n", "config.toml": "a = 1\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, files)
			before := b.tree()
			p := b.install()
			if len(p.Changes) != 3 {
				t.Errorf("changes: %+v", p.Changes)
			}
			after := b.tree()
			for range 2 {
				b.clock = b.clock.Add(time.Hour)
				if again := b.install(); len(again.Changes) != 0 {
					t.Errorf("installing again changes %+v", again.Changes)
				}
				b.same("after installing again", after)
			}
			b.uninstall(adapter.RemovalOptions{})
			b.same("after uninstalling", before)
			if entries, _ := os.ReadDir(b.m.Data); len(entries) != 0 {
				t.Errorf("left in the data home: %v", entries)
			}
		})
	}
}

func TestAPlanNamesEveryFileAndWritesNone(t *testing.T) {
	b := newBench(t, map[string]string{"settings.json": userSettings})
	before := b.tree()
	p := b.plan()
	b.same("after planning", before)
	want := []adapter.FileChange{
		{Path: b.vendor.path("skills", "acc", "SKILL.md"), Action: adapter.CreateFile},
		{Path: b.vendor.path("settings.json"), Action: adapter.EditFile, Details: []string{"add hooks.Start", "add hooks.Stop", "add plugins.acc", "add registry.acc"}},
		{Path: b.vendor.path("config.toml"), Action: adapter.CreateFile, Details: []string{"add sandbox.roots", "add lines from # >>> acc"}},
	}
	if diff := cmp.Diff(want, p.Changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"start the client again"}, p.Steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if _, err := os.Lstat(b.m.Data); err == nil {
		t.Error("planning made the data home")
	}
	if err := p.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := b.tree()
	for _, c := range p.Changes {
		name, _ := filepath.Rel(b.home, c.Path)
		if got[name] == "" || got[name] == before[name] {
			t.Errorf("%s was announced and not written", name)
		}
		before[name] = got[name]
	}
	for name := range got {
		if _, ok := before[name]; !ok && !strings.HasPrefix(got[name], "d") {
			t.Errorf("%s was written and not announced", name)
		}
	}
	if info, err := os.Stat(filepath.Join(b.m.Data, "workspaces")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the wanted directory: %v, %v", info, err)
	}
}

func TestOwnHooksStayLastAndInPlace(t *testing.T) {
	b := newBench(t, map[string]string{"settings.json": userSettings})
	b.install()
	text := b.read("settings.json")
	if strings.Index(text, "say done") > strings.Index(text, "acc-hook") {
		t.Errorf("acc's hook stands in front of the user's:\n%s", text)
	}
	// The user adds one behind ours; an update of acc must not move anything.
	text = strings.Replace(text, "]\n      }\n    ]", "]\n      },\n      {\"mine\": 2}\n    ]", 1)
	if !strings.Contains(text, "mine\": 2") {
		t.Fatalf("the test does not fit the text:\n%s", text)
	}
	b.write("settings.json", text)
	b.vendor.extra = `,"x":1`
	b.m.Version = "0.2.0"
	p := b.install()
	now := b.read("settings.json")
	if strings.Index(now, `"x": 1`) > strings.Index(now, `"mine": 2`) {
		t.Errorf("the updated hook moved:\n%s", now)
	}
	if strings.Count(now, "acc-hook") != 2 {
		t.Errorf("hooks were duplicated:\n%s", now)
	}
	if !slices.Contains(p.Changes[1].Details, "update hooks.Stop") {
		t.Errorf("details: %+v", p.Changes)
	}
	b.uninstall(adapter.RemovalOptions{})
	if got := b.read("settings.json"); strings.Contains(got, "acc") || !strings.Contains(got, `"mine": 2`) || !strings.Contains(got, "// mine") {
		t.Errorf("after uninstalling:\n%s", got)
	}
}

func TestWhatTheUserChangedStays(t *testing.T) {
	b := newBench(t, nil)
	b.install()
	b.write("skills/acc/SKILL.md", "my own words")
	b.write("settings.json", strings.Replace(b.read("settings.json"), `"timeout": 10`, `"timeout": 99`, 1))
	b.write("config.toml", strings.Replace(b.read("config.toml"), `event = "Stop"`, `event = "Start"`, 1))
	d, err := b.kit.Doctor(context.Background(), b.m)
	if err != nil || len(d.Modified) != 3 {
		t.Errorf("doctor: %+v, %v", d, err)
	}
	p := b.uninstall(adapter.RemovalOptions{})
	if len(p.Kept) != 3 {
		t.Errorf("kept: %+v", p.Kept)
	}
	for name, want := range map[string]string{"skills/acc/SKILL.md": "my own words", "settings.json": `"timeout": 99`, "config.toml": `event = "Start"`} {
		if !strings.Contains(b.read(name), want) {
			t.Errorf("%s lost the user's change:\n%s", name, b.read(name))
		}
	}
	if got := b.read("settings.json"); strings.Contains(got, "registry") || strings.Count(got, "acc-hook") != 1 {
		t.Errorf("what nobody changed is still there:\n%s", got)
	}
	b.uninstall(adapter.RemovalOptions{Changed: true})
	b.same("after removing the changed ones too", map[string]string{})
}

func TestReinstallRepairs(t *testing.T) {
	b := newBench(t, map[string]string{"settings.json": userSettings})
	before := b.tree()
	b.install()
	good := b.tree()
	b.write("skills/acc/SKILL.md", "broken")
	b.write("settings.json", userSettings)
	if err := os.Remove(b.vendor.path("config.toml")); err != nil {
		t.Fatal(err)
	}
	d, err := b.kit.Doctor(context.Background(), b.m)
	if err != nil || len(d.Missing) != 2 || len(d.Modified) != 1 {
		t.Errorf("doctor: %+v, %v", d, err)
	}
	for _, h := range d.Hooks {
		if h.State != adapter.Unwritten {
			t.Errorf("hook %+v", h)
		}
	}
	b.install()
	b.same("after repairing", good)
	b.uninstall(adapter.RemovalOptions{})
	b.same("after uninstalling", before)
}

func TestAStickyValueIsTheUsers(t *testing.T) {
	b := newBench(t, nil)
	b.install()
	b.write("settings.json", strings.Replace(b.read("settings.json"), `"acc": true`, `"acc": false`, 1))
	p := b.install()
	if !strings.Contains(b.read("settings.json"), `"acc": false`) || len(p.Notes) != 1 {
		t.Errorf("the plugin that the user disabled is enabled again: %v\n%s", p.Notes, b.read("settings.json"))
	}
	b.uninstall(adapter.RemovalOptions{})
	b.same("after uninstalling", map[string]string{})
}

func TestValuesThatWereThereStay(t *testing.T) {
	b := newBench(t, nil)
	b.write("config.toml", "[sandbox]\nroots = [\""+b.m.Data+"/workspaces\"]\n")
	before := b.tree()
	b.install()
	b.uninstall(adapter.RemovalOptions{})
	b.same("after uninstalling", before)
}

func TestALostRecordIsFoundAgain(t *testing.T) {
	b := newBench(t, map[string]string{"settings.json": userSettings})
	b.install()
	installed := b.tree()
	if err := os.Remove(filepath.Join(b.m.Data, installkit.RecordName)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.kit.PlanRemoval(context.Background(), b.m, adapter.RemovalOptions{}); protocol.ReasonOf(err) != protocol.ReasonNotFound {
		t.Errorf("removal without a record: %v", err)
	}
	b.install()
	b.same("after installing over what was left", installed)
	b.uninstall(adapter.RemovalOptions{})
	for name, text := range b.tree() {
		if strings.Contains(text, "acc-hook") || strings.Contains(name, "SKILL") {
			t.Errorf("%s is still acc's: %s", name, text)
		}
	}
}

func TestDoctorOfAGoodInstallation(t *testing.T) {
	b := newBench(t, map[string]string{"settings.json": userSettings})
	if d, err := b.kit.Doctor(context.Background(), b.m); err != nil || d.Installed || len(d.Problems) > 0 {
		t.Errorf("before installing: %+v, %v", d, err)
	}
	b.install()
	d, err := b.kit.Doctor(context.Background(), b.m)
	if err != nil {
		t.Fatal(err)
	}
	want := adapter.Diagnosis{
		Detection: adapter.Detection{Present: true, Command: "/usr/bin/vendor", Root: b.vendor.root, Version: "1.2.3"},
		Installed: true, Wired: "0.1.0", HookText: b.m.Bin + "/acc-hook vendor",
		Intact: []string{b.vendor.path("skills", "acc", "SKILL.md"), b.vendor.path("settings.json"), b.vendor.path("config.toml")},
		Hooks: []adapter.Wiring{
			{Event: "Start", State: adapter.Written}, {Event: "Stop", State: adapter.Written}, {Event: "BlockStop", State: adapter.Written},
		},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
