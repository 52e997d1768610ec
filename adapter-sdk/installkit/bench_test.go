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
