package installkit

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
)

// Client is what the installer of one vendor knows. It must be free of state.
type Client interface {
	// Detect looks for the client and says where its configuration lies, preferably from files.
	Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error)
	// Wants lists what acc needs there. The same machine and detection give the same answer, but for
	// times in volatile members.
	Wants(m adapter.Machine, d adapter.Detection) (Wants, error)
}

// Lister is a Client that can ask the real client which hooks it will run.
type Lister interface {
	Client
	// List asks. It is called only with a command and a Machine.Run, and with a deadline. An error says
	// that nothing is known.
	List(ctx context.Context, m adapter.Machine, d adapter.Detection) (Listing, error)
}

// Verifier is a Client whose real client can say whether its configuration is good. A change after
// which it says no is taken back; where it says no beforehand, nothing is changed.
type Verifier interface {
	Client
	// Verify asks. It is called only with a command and a Machine.Run, and with a deadline.
	Verify(ctx context.Context, m adapter.Machine, d adapter.Detection) error
}

// Keeper is a Client that may have files of acc in use.
type Keeper interface {
	Client
	// InUse says why a file must not be removed now; "": it may go.
	InUse(path string) string
}

// listLimit is the time that a client may take to list its hooks or to check its configuration: some
// start a JavaScript runtime first.
const listLimit = 30 * time.Second

// Installer implements adapter.Installer on files. New makes one.
type Installer struct {
	id, displayName string
	client          Client
}

var _ adapter.Installer = (*Installer)(nil)

// New seals an installer. The id is the one that the hook command line carries.
func New(id, displayName string, client Client) (*Installer, error) {
	if id == "" || displayName == "" || client == nil {
		return nil, protocol.UsageError("", "an installer needs an id, a display name and a client")
	}
	return &Installer{id: id, displayName: displayName, client: client}, nil
}

// ID implements adapter.Installer.
func (k *Installer) ID() string { return k.id }

// Service gives the client's background service, if its adapter can have one restarted; else nil.
func (k *Installer) Service() adapter.Service {
	s, _ := k.client.(adapter.Service)
	return s
}

// DisplayName implements adapter.Installer.
func (k *Installer) DisplayName() string { return k.displayName }

// Detect implements adapter.Installer.
func (k *Installer) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	if err := complete(m); err != nil {
		return adapter.Detection{}, err
	}
	return k.client.Detect(ctx, m)
}

// complete refuses a machine that would make paths of nothing.
func complete(m adapter.Machine) error {
	if !filepath.IsAbs(m.Home) || !filepath.IsAbs(m.Data) {
		return protocol.UsageError("", "the machine's Home and Data are absolute paths")
	}
	if m.Bin == "" || m.Env == nil || m.Now == nil || m.GOOS == "" || m.Version == "" {
		return protocol.UsageError("", "the machine is not fully described")
	}
	return nil
}

// Plan implements adapter.Installer.
func (k *Installer) Plan(ctx context.Context, m adapter.Machine) (*adapter.Plan, error) {
	d, err := k.Detect(ctx, m)
	if err != nil {
		return nil, err
	}
	if !d.Present {
		return nil, protocol.DataError(protocol.ReasonNotFound, k.displayName+" is not installed here: "+d.Reason)
	}
	l, err := readLedger(m.Data)
	if err != nil {
		return nil, err
	}
	wants, err := k.client.Wants(m, d)
	if err != nil {
		return nil, err
	}
	had := l.find(k.id, d.Root)
	p, err := install(m, d.Root, had, wants)
	if err != nil {
		return nil, err
	}
	k.describe(p, m, d.Root)
	if had != nil && len(p.steps) == 0 && !p.dirs && !had.Unfinished && had.Version == m.Version {
		p.plan.Steps, p.plan.Apply = nil, func(context.Context) error { return nil }
		return &p.plan, nil
	}
	t := &transaction{ledger: l, draft: p, dirs: wants.Dirs, markers: wants.Markers}
	if had != nil {
		t.had = *had
	}
	if v, ok := k.client.(Verifier); ok && canAsk(m, d) && len(p.steps) > 0 {
		t.verify = func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, listLimit)
			defer cancel()
			return v.Verify(ctx, m, d)
		}
	}
	p.plan.Apply = t.apply
	return &p.plan, nil
}

func canAsk(m adapter.Machine, d adapter.Detection) bool { return m.Run != nil && d.Command != "" }

func (k *Installer) describe(p *draft, m adapter.Machine, root string) {
	p.plan.Adapter, p.plan.Root = k.id, root
	p.next.Adapter, p.next.Root, p.next.Version = k.id, root, m.Version
	p.next.At = m.Now().UTC().Truncate(time.Millisecond)
}

// PlanRemoval implements adapter.Installer. It concerns the configuration that Machine points to, and
// if nothing was installed there, another one that has an installation: who wants all gone asks until
// there is none.
func (k *Installer) PlanRemoval(ctx context.Context, m adapter.Machine, o adapter.RemovalOptions) (*adapter.Plan, error) {
	d, err := k.Detect(ctx, m)
	if err != nil {
		return nil, err
	}
	l, err := readLedger(m.Data)
	if err != nil {
		return nil, err
	}
	had := l.find(k.id, d.Root)
	if had == nil {
		others := l.of(k.id)
		if len(others) == 0 {
			return nil, adapter.NotInstalled(k.displayName)
		}
		had, d.Root = &others[0], others[0].Root
	}
	wants, err := k.client.Wants(m, d)
	if err != nil {
		return nil, err
	}
	busy := func(string) string { return "" }
	if keeper, ok := k.client.(Keeper); ok {
		busy = keeper.InUse
	}
	p, err := removal(*had, wants.Mark, o.Changed, busy)
	if err != nil {
		return nil, err
	}
	k.describe(p, m, had.Root)
	p.next.Version = had.Version
	t := &transaction{ledger: l, draft: p, had: *had, markers: wants.Markers}
	p.plan.Apply = t.apply
	return &p.plan, nil
}

// Doctor implements adapter.Installer.
func (k *Installer) Doctor(ctx context.Context, m adapter.Machine) (adapter.Diagnosis, error) {
	d, err := k.Detect(ctx, m)
	if err != nil {
		return adapter.Diagnosis{}, err
	}
	out := adapter.Diagnosis{Detection: d}
	l, err := readLedger(m.Data)
	if err != nil {
		return out, err
	}
	wants, err := k.client.Wants(m, d)
	if err != nil {
		return out, err
	}
	if out.HookText, err = HookCommand(m, k.id, ""); err != nil {
		return out, err
	}
	had := l.find(k.id, d.Root)
	if had != nil {
		out.Installed, out.Unfinished = true, had.Unfinished
	} else {
		had = &installation{}
	}
	examine(&out, d.Root, *had, wants)
	if lister, ok := k.client.(Lister); ok && out.Installed && canAsk(m, d) {
		ctx, cancel := context.WithTimeout(ctx, listLimit)
		defer cancel()
		listing, err := lister.List(ctx, m, d)
		if err != nil {
			out.Problems = append(out.Problems, adapter.Problem{Text: k.displayName + " could not be asked which hooks it runs: " + err.Error()})
		}
		out.Hooks = believe(out.Hooks, listing.Hooks)
		out.Problems = append(out.Problems, listing.Problems...)
		out.Steps = append(out.Steps, listing.Steps...)
	}
	return out, nil
}

// believe lets the client's own word stand over what is written, except that a hook which is not
// written runs nothing, whatever the client says of the whole that it belongs to.
func believe(written, listed []adapter.Wiring) []adapter.Wiring {
	out := slices.Clone(written)
	for i, w := range out {
		k := slices.IndexFunc(listed, func(l adapter.Wiring) bool { return l.Event == w.Event })
		if k >= 0 && w.State != adapter.Unwritten {
			out[i] = listed[k]
		}
	}
	return out
}
