// Package installtest is the part of the conformance kit that an adapter's installer must pass: it
// installs into homes with a user's own files and takes everything back.
//
// A vendor calls Run from a test with homes as real users have them, and uses Home for what only that
// client knows. Start reading at suite.go.
package installtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
)

// Suite is what Run needs to know of an installer.
type Suite struct {
	Installer adapter.Installer
	// Homes are files as users have them, by path below the home. At least one is wanted.
	Homes map[string]map[string]string
	// Edited are the files that the user writes too, by path below the home.
	Edited []string
	// Bad are texts that the client's reader refuses, by the path of an edited file and a name.
	Bad map[string]map[string]string
	// Events are the client's events that must be wired.
	Events []string
	// Unwire takes the hook of one event out of the home's files, as a user would.
	Unwire func(h *Home, event string)
}

// Run runs every case as a subtest.
func Run(t *testing.T, s Suite) {
	for name, files := range s.Homes {
		t.Run("takes back what it did/"+name, func(t *testing.T) { s.takesBack(t, files) })
		t.Run("another data home is left alone/"+name, func(t *testing.T) { s.otherDataHome(t, files) })
		t.Run("a status line is written on request only/"+name, func(t *testing.T) { s.statusLine(t, files) })
	}
	t.Run("doctor names what is missing", s.namesMissing)
	for _, event := range s.Events {
		t.Run("doctor names the hook that is gone/"+event, func(t *testing.T) { s.namesHook(t, event) })
	}
	for path, texts := range s.Bad {
		for name, text := range texts {
			t.Run("refuses/"+path+"/"+name, func(t *testing.T) { s.refuses(t, path, text) })
		}
	}
	for _, path := range s.Edited {
		t.Run("refuses a link/"+path, func(t *testing.T) { s.refusesLink(t, path) })
	}
}

func (s Suite) anyHome() map[string]string {
	names := make([]string, 0, len(s.Homes))
	for name := range s.Homes {
		names = append(names, name)
	}
	slices.Sort(names)
	return s.Homes[names[0]]
}

// takesBack installs, installs again, brings up to date and uninstalls.
func (s Suite) takesBack(t *testing.T, files map[string]string) {
	h := New(t, s.Installer, files)
	before := h.Tree()
	plan := h.Plan()
	h.Same("planning", before)
	if len(plan.Changes) == 0 {
		t.Fatal("there is nothing to install")
	}
	if err := plan.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	installed := h.Tree()
	for name, entry := range installed {
		was, there := before[name]
		if there && was == entry || strings.HasPrefix(entry, "d") {
			continue
		}
		if !slices.ContainsFunc(plan.Changes, func(c adapter.FileChange) bool { return c.Path == h.Path(name) }) {
			t.Errorf("%s was written without being announced", name)
		}
		if !there && entry[:10] != "-rw-------" {
			t.Errorf("%s can be read by others: %s", name, entry[:10])
		}
	}
	if again := h.Install(); len(again.Changes) != 0 {
		t.Errorf("installing again changes %+v", again.Changes)
	}
	h.Same("installing again", installed)
	s.wired(h, "0.1.0")
	h.Machine.Version = "0.2.0"
	h.Install()
	s.wired(h, "0.2.0")
	if again := h.Plan(); len(again.Changes) != 0 {
		t.Errorf("bringing up to date again changes %+v", again.Changes)
	}
	removal := h.Remove()
	if len(removal.Kept) != 0 {
		t.Errorf("uninstalling keeps %+v", removal.Kept)
	}
	h.Same("uninstalling", before)
	if _, err := s.Installer.PlanRemoval(context.Background(), h.Machine, adapter.RemovalOptions{}); protocol.ReasonOf(err) != protocol.ReasonNotFound {
		t.Errorf("uninstalling again: %v", err)
	}
}

// statusLine installs without one, asks for one, keeps it through an update, takes it out, and asks again. What the
// user has in its place stays through all of it.
func (s Suite) statusLine(t *testing.T, files map[string]string) {
	h := New(t, s.Installer, files)
	before := h.Tree()
	first := h.Plan().Indicator
	if first == adapter.NoIndicator {
		t.Skip("the installer writes none")
	}
	h.Install()
	without := h.Tree()
	for _, step := range []struct {
		choice  adapter.IndicatorChoice
		version string
		free    adapter.IndicatorState // where the user has none
	}{
		{adapter.KeepIndicator, "0.1.0", adapter.IndicatorOff}, {adapter.ShowIndicator, "0.1.0", adapter.IndicatorOn},
		{adapter.HideIndicator, "0.1.0", adapter.IndicatorOff}, {adapter.KeepIndicator, "0.1.0", adapter.IndicatorOff},
		{adapter.ShowIndicator, "0.1.0", adapter.IndicatorOn}, {adapter.KeepIndicator, "0.2.0", adapter.IndicatorOn}, {adapter.HideIndicator, "0.2.0", adapter.IndicatorOff},
		{adapter.ShowIndicator, "0.2.0", adapter.IndicatorOn},
	} {
		want := first
		if first == adapter.IndicatorOff {
			want = step.free
		}
		h.Machine.Indicator, h.Machine.Version = step.choice, step.version
		plan := h.Install()
		if plan.Indicator != want || first == adapter.IndicatorOther && (len(plan.Notes) > 0) != (step.choice == adapter.ShowIndicator) {
			t.Errorf("asked for %q: the plan says %q, want %q; notes %q", step.choice, plan.Indicator, want, plan.Notes)
		}
		if again := h.Plan(); len(again.Changes) != 0 {
			t.Errorf("asked for %q again changes %+v", step.choice, again.Changes)
		}
		if d := h.Doctor(); d.Indicator != want || len(d.Problems)+len(d.Missing)+len(d.Modified) > 0 {
			t.Errorf("asked for %q: doctor says %+v", step.choice, d)
		}
		if want != adapter.IndicatorOn && step.version == "0.1.0" {
			h.Same("without a status line of acc", without)
		}
	}
	h.Machine.Indicator = adapter.KeepIndicator
	h.Remove()
	h.Same("uninstalling with a status line", before)
}

// wired checks what Doctor says of a good installation.
func (s Suite) wired(h *Home, version string) {
	h.T.Helper()
	d := h.Doctor()
	if d.Wired == "" {
		h.T.Error("no file of acc's own says which version wrote it: install the skill (skill.Text), or put installkit.VersionLine into one")
	} else if !d.Installed || d.Wired != version || len(d.Problems)+len(d.Missing)+len(d.Modified) > 0 {
		h.T.Errorf("doctor says of a good installation of %s: %+v", version, d)
	}
	for _, event := range s.Events {
		i := slices.IndexFunc(d.Hooks, func(w adapter.Wiring) bool { return w.Event == event })
		if i < 0 || d.Hooks[i].State == adapter.Unwritten {
			h.T.Errorf("%s is not wired: %+v", event, d.Hooks)
		}
	}
	if len(d.Hooks) != len(s.Events) {
		h.T.Errorf("wired are %+v, to be wired %v", d.Hooks, s.Events)
	}
}

// namesMissing deletes each file in turn: doctor names it, and installing brings it back.
func (s Suite) namesMissing(t *testing.T) {
	h := New(t, s.Installer, s.anyHome())
	before := h.Tree()
	plan := h.Install()
	installed := h.Tree()
	for _, c := range plan.Changes {
		name, err := filepath.Rel(h.Dir, c.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(c.Path); err != nil {
			t.Fatal(err)
		}
		d := h.Doctor()
		if !slices.Contains(d.Missing, c.Path) || len(d.Problems) == 0 {
			t.Errorf("%s is gone and doctor says %+v", name, d)
		}
		h.Install()
		if d := h.Doctor(); len(d.Missing)+len(d.Modified)+len(d.Problems) > 0 {
			t.Errorf("%s was not brought back: %+v", name, d)
		}
		h.Restore(installed)
	}
	h.Remove()
	h.Restore(before)
	if len(s.Events) == 0 {
		t.Error("no event is wired")
	}
}

// namesHook takes one hook out: doctor says which, and installing brings it back.
func (s Suite) namesHook(t *testing.T, event string) {
	h := New(t, s.Installer, s.anyHome())
	h.Install()
	s.Unwire(h, event)
	for _, w := range h.Doctor().Hooks {
		if gone := w.State == adapter.Unwritten; gone != (w.Event == event) {
			t.Errorf("%s was taken out and %s is %s", event, w.Event, w.State)
		}
	}
	h.Install()
	if d := h.Doctor(); len(d.Problems) > 0 {
		t.Errorf("it was not brought back: %+v", d)
	}
}

// refuses installs over a file that the client itself could not read.
func (s Suite) refuses(t *testing.T, path, text string) {
	h := New(t, s.Installer, s.anyHome())
	h.Write(path, text)
	before := h.Tree()
	_, err := s.Installer.Plan(context.Background(), h.Machine)
	var e *protocol.Error
	if !errors.As(err, &e) || e.Code != protocol.Data {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(e.Message, h.Path(path)) || e.Hint == "" {
		t.Errorf("the error does not name the file and the next step: %q, %q", e.Message, e.Hint)
	}
	h.Same("refusing", before)
	if _, err := os.Lstat(h.Machine.Data); err == nil {
		t.Error("something was recorded")
	}
	s.saysDamaged(t, path, text)
}

// saysDamaged lets a file become bad after the installation: doctor names it, and that mending it comes first.
func (s Suite) saysDamaged(t *testing.T, path, text string) {
	h := New(t, s.Installer, s.anyHome())
	h.Install()
	h.Write(path, text)
	if _, err := s.Installer.Plan(context.Background(), h.Machine); err == nil {
		return // it can be installed over, so installing again is the remedy
	}
	d, err := s.Installer.Doctor(context.Background(), h.Machine)
	problems := d.Problems
	var e *protocol.Error
	if errors.As(err, &e) {
		problems = []adapter.Problem{{Text: e.Message, Remedy: e.Hint}}
	}
	if !slices.ContainsFunc(problems, func(p adapter.Problem) bool {
		return strings.Contains(p.Text, h.Path(path)) && strings.Contains(p.Remedy, h.Path(path)) && !strings.HasPrefix(p.Remedy, "acc install")
	}) {
		t.Errorf("doctor says %+v, %v", d.Problems, err)
	}
}

// refusesLink installs over a link to a good file.
func (s Suite) refusesLink(t *testing.T, path string) {
	h := New(t, s.Installer, s.anyHome())
	h.Write("dotfiles/real", h.Read(path))
	if err := os.MkdirAll(filepath.Dir(h.Path(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(h.Path(path)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(h.Path("dotfiles/real"), h.Path(path)); err != nil {
		t.Skip(err)
	}
	before := h.Tree()
	_, err := s.Installer.Plan(context.Background(), h.Machine)
	if protocol.ReasonOf(err) != protocol.ReasonPathUnsafe || !strings.Contains(err.Error(), h.Path(path)) {
		t.Errorf("error %v", err)
	}
	h.Same("refusing", before)
}

// otherDataHome lets a second data home meet an installation of the first.
func (s Suite) otherDataHome(t *testing.T, files map[string]string) {
	h := New(t, s.Installer, files)
	h.Install()
	installed := h.Tree()
	other := h.Machine
	other.Data = filepath.Join(h.Dir, "data home", "second", "acc")
	other.Bin = filepath.Join(other.Data, "runtime", "bin")
	if _, err := s.Installer.Plan(context.Background(), other); protocol.CodeOf(err) != protocol.Conflict {
		t.Errorf("a second data home may install: %v", err)
	}
	if _, err := s.Installer.PlanRemoval(context.Background(), other, adapter.RemovalOptions{}); protocol.ReasonOf(err) != protocol.ReasonNotFound {
		t.Errorf("a second data home may uninstall: %v", err)
	}
	h.Same("a second data home", installed)
}
