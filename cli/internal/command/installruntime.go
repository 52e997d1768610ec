package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/internal/runtime/unmanaged"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/cli/release/build"
	"github.com/acc-control-plane/acc/protocol"
)

// executables is what an installation does with acc itself.
type executables struct {
	kind        view.RuntimeKind
	words       string // what they are, for people
	from        string
	changes     []adapter.FileChange
	notes       []string
	noServer    bool // this build has no MCP server
	noIndicator bool // nor acc-indicator
	apply       func(ctx context.Context) error
}

// executables decides what becomes of acc itself. A release is taken in as a generation; a build from source, and
// what somebody wants to be unmanaged, is copied. Where a runtime is managed already it stays so.
func (o *install) executables() (*executables, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil, protocol.DataError("", "this program does not know its own file").Because(err)
	}
	m := runtime.Open(o.home)
	managed, err := m.Managed()
	if err != nil {
		return nil, err
	}
	from, found := runtime.Package(self, build.ID())
	if !found && !managed {
		from, found = m.Own(self, build.ID()) // the record of a managed runtime was lost, and is made again
	}
	switch {
	case o.unmanaged && o.downgrade:
		return nil, invalid("--downgrade is about a managed runtime, so it does not go with --unmanaged")
	case o.unmanaged && managed:
		return o.copied(self, m.Unmanage)
	case o.unmanaged, !managed && !found:
		return o.copied(self, nil)
	}
	if managed {
		s, err := m.Settings()
		if err != nil {
			return nil, err
		}
		if s.Active.BuildID == build.ID() && s.Phase == runtime.Ready {
			return o.resident(m, s), nil
		}
		if !found {
			return nil, protocol.DataError(runtime.ReasonStateChanged, "acc in "+o.home.Acc()+" is managed, and this build is no release that could follow "+s.Active.Version).
				WithHint("use " + filepath.Join(o.home.Bin(), layout.Executable("acc")) + " install, or add --unmanaged to give the managed runtime up")
		}
	}
	return o.taken(m, from, managed), nil
}

// copied is the unmanaged copy.
func (o *install) copied(self string, before func(ctx context.Context) error) (*executables, error) {
	p, err := unmanaged.NewPlan(o.home, self)
	if err != nil {
		return nil, err
	}
	x := &executables{kind: view.Unmanaged, words: "an unmanaged copy", from: p.From, notes: p.Notes, noServer: p.NoServer, noIndicator: p.NoIndicator, apply: p.Apply}
	for _, f := range p.Files {
		x.changes = append(x.changes, adapter.FileChange{Path: f.Path, Action: f.Action})
	}
	if before != nil {
		x.apply = func(ctx context.Context) error {
			if err := before(ctx); err != nil {
				return err
			}
			return p.Apply(ctx)
		}
	}
	return x, nil
}

// maintained says how a managed runtime comes to later versions. A build of a vendor, or of a checkout, knows no
// releases that could replace it.
func maintained(version string) string {
	if build.PackageName() == "" || build.PublicKeys() == "" {
		return "acc " + version + ", replaced by the acc install of a later build"
	}
	return "acc " + version + ", kept up to date by acc update"
}

// resident is the active generation that installs into clients: nothing of acc itself changes.
func (o *install) resident(m *runtime.Manager, s runtime.Settings) *executables {
	_, err := os.Lstat(filepath.Join(o.home.Bin(), layout.Executable("acc-indicator")))
	return &executables{
		noIndicator: err != nil,
		kind:        view.Managed, words: maintained(s.Active.Version),
		from:  m.Layout().Generation(s.Active.Name),
		apply: func(context.Context) error { return m.Relink() },
	}
}

// taken is a release that is taken in. The first one is active at once; a later one is activated as an update is.
func (o *install) taken(m *runtime.Manager, from runtime.Release, managed bool) *executables {
	x := &executables{
		kind: view.Managed, words: maintained(from.Version), from: from.Dir,
		noServer: !slices.Contains(from.Programs, "acc-mcp"), noIndicator: !slices.Contains(from.Programs, "acc-indicator"),
		changes: []adapter.FileChange{{Path: m.Layout().Generation(from.Name), Action: adapter.CreateFile}},
	}
	before := false
	for _, program := range from.Programs {
		path := filepath.Join(o.home.Bin(), layout.Executable(program))
		action := adapter.ReplaceFile
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			action = adapter.CreateFile
		} else {
			before = true
		}
		x.changes = append(x.changes, adapter.FileChange{Path: path, Action: action})
	}
	if before && !managed {
		x.notes = append(x.notes, "acc was an unmanaged copy here until now: restart the clients that are open, because what they started from it goes on with it")
	}
	x.apply = func(ctx context.Context) error {
		staged, err := m.StageCopy(ctx, from.Dir)
		if err != nil {
			return err
		}
		defer staged.Release()
		if o.downgrade && managed {
			if err := m.Downgrade(ctx, staged); err != nil {
				return err
			}
			return m.Activate(ctx, refresh{o, m})
		}
		how, err := m.Install(ctx, staged, o.Home, nil, true)
		if err == nil && how == runtime.Published {
			err = m.Activate(ctx, refresh{o, m})
		}
		return err
	}
	return x
}

// refresh brings the clients that are wired already to the release that this command installs, whether they were
// selected or not: they call it from then on.
type refresh struct {
	o *install
	m *runtime.Manager
}

// Prepare implements runtime.Integrations.
func (r refresh) Prepare(ctx context.Context, _ runtime.Generation) ([]runtime.Application, error) {
	s, err := r.m.Settings()
	if err != nil {
		return nil, err
	}
	all, err := r.o.inv.Installers()
	if err != nil {
		return nil, err
	}
	selected := func(i adapter.Installer) bool {
		return slices.ContainsFunc(r.o.clients, func(c *installer.Client) bool { return c.Installer.ID() == i.ID() })
	}
	others := slices.DeleteFunc(slices.Clone(all), func(i adapter.Installer) bool { return selected(i) })
	var applications []runtime.Application
	for _, c := range append(installer.Detect(ctx, r.o.Machine, others), r.o.clients...) {
		if !slices.Contains(s.Targets, c.Installer.ID()) {
			continue
		}
		machine := r.o.Machine
		if !selected(c.Installer) {
			machine.Indicator = adapter.KeepIndicator
		}
		c.Plan(ctx, machine)
		if c.Err != nil {
			return nil, c.Err
		}
		if c.State == installer.Planned {
			applications = append(applications, runtime.Application{Adapter: c.Installer.ID(), Apply: func(ctx context.Context) error {
				c.Install(ctx, machine)
				return c.Err
			}})
		}
	}
	return applications, nil
}

// wired keeps which adapters are wired, for updates. Registrations of the MCP server only name a path that stays.
func (o *install) wired(ctx context.Context) error {
	if o.runtime.kind != view.Managed {
		return nil
	}
	all, err := o.inv.Installers()
	if err != nil {
		return err
	}
	var ids []string
	for _, c := range o.clients {
		isAdapter := slices.ContainsFunc(all, func(i adapter.Installer) bool { return i.ID() == c.Installer.ID() })
		if isAdapter && (c.State == installer.Done || c.State == installer.Unchanged) {
			ids = append(ids, c.Installer.ID())
		}
	}
	return runtime.Open(o.home).Wire(ctx, o.Home, ids)
}
