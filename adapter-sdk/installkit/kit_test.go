package installkit_test

import (
	"context"
	"errors"
	"io/fs"
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

// vendor is a client with one file of every kind.
type vendor struct {
	root    string
	without []string // of what Wants would list: names of edits and files
	extra   string   // goes into values, as a new version of acc would change them
	verify  func() error
	busy    string
}

func (v *vendor) Detect(context.Context, adapter.Machine) (adapter.Detection, error) {
	return adapter.Detection{Present: true, Command: "/usr/bin/vendor", Root: v.root, Version: "1.2.3"}, nil
}

func (v *vendor) Verify(context.Context, adapter.Machine, adapter.Detection) error {
	if v.verify == nil {
		return nil
	}
	return v.verify()
}

func (v *vendor) InUse(path string) string {
	if v.busy != "" && strings.Contains(path, v.busy) {
		return "a running client uses it"
	}
	return ""
}

func (v *vendor) path(elements ...string) string {
	return filepath.Join(append([]string{v.root}, elements...)...)
}

func (v *vendor) Wants(m adapter.Machine, _ adapter.Detection) (installkit.Wants, error) {
	mark, err := installkit.Mark(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	hook, err := installkit.HookCommand(m, "vendor", "")
	if err != nil {
		return installkit.Wants{}, err
	}
	element := func(event string) installkit.Edit {
		return installkit.Edit{
			Kind: installkit.Element, Path: []string{"hooks", event}, Ours: true, Events: []string{event},
			Value: `{"hooks":[{"type":"command","command":"` + hook + `","timeout":10` + v.extra + `}]}`,
		}
	}
	settings := []installkit.Edit{
		element("Start"), element("Stop"),
		{Kind: installkit.Member, Path: []string{"plugins", "acc"}, Value: "true", Sticky: true, Ours: true, Label: "plugins.acc"},
		{Kind: installkit.Member, Path: []string{"registry", "acc"}, Value: `{"v":"1","at":"` + m.Now().Format(time.RFC3339) + `"}`, Volatile: []string{"at"}, Ours: true},
	}
	config := []installkit.Edit{
		{Kind: installkit.Element, Path: []string{"sandbox", "roots"}, Value: `"` + m.Data + `/workspaces"`},
		{Kind: installkit.Block, Path: []string{"# >>> acc", "# <<< acc"}, Value: "[[hooks]]\nevent = \"Stop\"\ncommand = \"" + hook + "\"\n", Events: []string{"BlockStop"}},
	}
	w := installkit.Wants{
		Mark:    mark,
		Files:   []installkit.File{{Path: v.path("skills", "acc", "SKILL.md"), Data: []byte("use " + installkit.CLIPath(m) + v.extra + "\n" + installkit.VersionLine(m.Version) + "\n")}},
		Dirs:    []string{filepath.Join(m.Data, "workspaces")},
		Markers: []string{".in_use"},
		Steps:   []string{"start the client again"},
	}
	keep := func(e installkit.Edit) bool { return !slices.Contains(v.without, e.Path[len(e.Path)-1]) }
	w.Edits = []installkit.UserFile{
		{Path: v.path("settings.json"), Format: installkit.JSONC, Edits: filter(settings, keep)},
		{Path: v.path("config.toml"), Format: installkit.TOML, Edits: filter(config, keep)},
	}
	if _, err := os.Lstat(v.path("plain.json")); err == nil {
		w.Edits = append(w.Edits, installkit.UserFile{Path: v.path("plain.json"), Format: installkit.JSON, NoMark: true, Edits: settings[:1]})
	}
	return w, nil
}

func filter(edits []installkit.Edit, keep func(installkit.Edit) bool) []installkit.Edit {
	var out []installkit.Edit
	for _, e := range edits {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// bench is a home with one client.
type bench struct {
	t      testing.TB
	home   string
	vendor *vendor
	kit    *installkit.Installer
	clock  time.Time
	m      adapter.Machine
}

func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	home := t.TempDir()
	b := &bench{t: t, home: home, vendor: &vendor{root: filepath.Join(home, ".vendor")}}
	data := filepath.Join(home, "data", "acc")
	b.clock = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	b.m = adapter.Machine{
		GOOS: "linux", Home: home, Data: data, Bin: filepath.Join(data, "runtime", "bin"), Version: "0.1.0",
		Now: func() time.Time { return b.clock },
		Env: func(string) string { return "" },
		Run: func(context.Context, adapter.ClientCommand) ([]byte, error) {
			return nil, errors.New("not to be called")
		},
	}
	var err error
	if b.kit, err = installkit.New("vendor", "Vendor", b.vendor); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		b.write(name, text)
	}
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.vendor.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	data, err := os.ReadFile(filepath.Join(b.vendor.root, name))
	if err != nil {
		return "(" + errors.Unwrap(err).Error() + ")"
	}
	return string(data)
}

func (b *bench) plan() *adapter.Plan {
	b.t.Helper()
	p, err := b.kit.Plan(b.t.(interface{ Context() context.Context }).Context(), b.m)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bench) install() *adapter.Plan {
	b.t.Helper()
	p := b.plan()
	if err := p.Apply(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bench) uninstall(o adapter.RemovalOptions) *adapter.Plan {
	b.t.Helper()
	p, err := b.kit.PlanRemoval(context.Background(), b.m, o)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := p.Apply(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	return p
}

// tree gives every file and directory below the client's configuration, with content and mode.
func (b *bench) tree() map[string]string {
	b.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(b.vendor.root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(b.home, path)
		out[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out[name] += " " + string(data)
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bench) same(what string, want map[string]string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.tree()); diff != "" {
		b.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

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

func TestASymlinkedConfigurationIsLeftAlone(t *testing.T) {
	b := newBench(t, map[string]string{"real.json": "{}"})
	if err := os.Symlink("real.json", b.vendor.path("settings.json")); err != nil {
		t.Skip(err)
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
