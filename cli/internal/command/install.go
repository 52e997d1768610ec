package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/runtime/unmanaged"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/mcp-server/mcpinstall"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func installCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "install", Group: groupSetup, Common: true,
			Summary: "write acc into the AI clients of this machine",
			Options: []argv.Option{
				adapterOption, clientOption, homeOption,
				{Name: "print", Usage: "with --adapter mcp: print a registration, and write nothing"},
				{Name: "delivery", Value: "WHICH", Choices: texts(protocol.LiveOff, protocol.LiveActionable, protocol.LiveAll),
					Usage: "which messages may spend a turn of a running session"},
				{Name: "indicator", Value: "WHICH", Choices: []string{string(adapter.ShowIndicator), string(adapter.HideIndicator)},
					Usage: "show acc in the status lines of clients"},
				{Name: "unmanaged", Usage: "copy acc itself instead of taking it in as a release that acc update replaces"},
				{Name: "downgrade", Usage: "replace a later release of acc by this one"},
				{Name: "dry-run", Usage: "list what would be written, and write nothing"},
			},
			Notes: []string{
				"Lists every file before it touches one; a client that fails leaves the others alone. " +
					"Where nothing is decided about --delivery, a person at a terminal is asked; otherwise it stays off. " +
					"A status line of your own stays, and without --indicator none is touched.",
				"Takes acc into the data home, where the clients call it: a release, which acc update replaces, or a copy of a build.",
			},
		},
		// A person may think about the answer, and clients are asked what they make of it.
		Patience: 2 * Thinking,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			m, err := inv.machine(given)
			if err != nil {
				return Answer{}, err
			}
			m.Indicator = adapter.IndicatorChoice(given.String("indicator"))
			mcp := slices.Contains(given.StringSlice("adapter"), mcpAdapter)
			if mcp || given.Bool("print") {
				if a, printed, err := inv.printed(m, given, mcp); printed || err != nil {
					return a, err
				}
			}
			o := install{machine: m, inv: inv, named: given.IsSet("adapter"), mcp: mcp, dryRun: given.Bool("dry-run"), delivery: protocol.LivePolicy(given.String("delivery")),
				unmanaged: given.Bool("unmanaged"), downgrade: given.Bool("downgrade")}
			return o.run(ctx)
		},
	}
}

// printed gives the registration of the MCP server where it was asked for. A server is registered only in
// clients that somebody named: no other installation is a matter of taste.
func (inv *Invocation) printed(m machine, given *flags.Context, mcp bool) (a Answer, printed bool, err error) {
	switch named := given.IsSet("client"); {
	case given.Bool("print") && (!mcp || len(given.StringSlice("adapter")) > 1 || named):
		return a, false, invalid("--print goes with --adapter %s alone", mcpAdapter)
	case !given.Bool("print") && !named:
		return a, false, invalid("--adapter %s needs --client NAME, or --print", mcpAdapter).
			WithHint("one of " + strings.Join(mcpinstall.Clients(), ", "))
	case !given.Bool("print"):
		return a, false, nil
	}
	snippet, err := mcpinstall.Snippet(m.Machine)
	if err != nil {
		return a, false, err
	}
	return answer(view.Text, view.TextData{Text: string(snippet)}, func(u *ui.UI) { u.Raw(snippet) }), true, nil
}

// install is one run of the command.
type install struct {
	machine
	inv      *Invocation
	named    bool // clients were selected: one that is not here is a failure
	mcp      bool // some of them for the MCP server
	dryRun   bool
	delivery protocol.LivePolicy // "": not given
	// unmanaged and downgrade are choices about acc itself.
	unmanaged, downgrade bool

	clients   []*installer.Client
	runtime   *executables
	decisions []view.DeliveryDecision
}

func (o *install) run(ctx context.Context) (Answer, error) {
	o.clients = installer.Detect(ctx, o.Machine, o.installers)
	if err := o.anybody(); err != nil {
		return Answer{}, err
	}
	if !o.pending() {
		return o.answer(), nil
	}
	var err error
	if o.runtime, err = o.executables(); err != nil {
		return Answer{}, err
	}
	if o.mcp && o.runtime.noServer {
		return Answer{}, protocol.DataError(unmanaged.ReasonExecutableMissing, "acc-mcp is not beside this acc, so no client could start it").
			WithHint("in a checkout: go install ./cli/cmd/... and then acc install")
	}
	if o.Indicator == adapter.ShowIndicator && o.runtime.noIndicator {
		return Answer{}, protocol.DataError(unmanaged.ReasonExecutableMissing, "acc-indicator is not beside this acc, so no status line could run it").
			WithHint("in a checkout: go install ./cli/cmd/... and then the same command again")
	}
	if o.decisions, err = o.decide(); err != nil {
		return Answer{}, err
	}
	if o.dryRun {
		err := o.plan(ctx)
		return o.answer(), err
	}
	if err := o.locked(ctx, func() error { return o.apply(ctx) }); err != nil {
		return Answer{}, err
	}
	return o.answer(), nil
}

// pending says whether there is a client into which something can be installed.
func (o *install) pending() bool {
	return slices.ContainsFunc(o.clients, func(c *installer.Client) bool { return c.State == installer.Planned })
}

// anybody refuses to do nothing at all, and marks selected clients that are not here.
func (o *install) anybody() error {
	present := false
	for _, c := range o.clients {
		if c.State == installer.Absent && o.named {
			c.State = installer.Failed
			c.Err = protocol.DataError(protocol.ReasonNotFound, "not found here: "+c.Detection.Reason)
		}
		present = present || c.State != installer.Absent
	}
	if !present {
		return protocol.DataError(protocol.ReasonNotFound, "none of the clients that this build knows is on this machine").
			WithHint("acc doctor says where each was looked for")
	}
	return nil
}

// plan plans and, for a person, lists every file.
func (o *install) plan(ctx context.Context) error {
	for _, c := range o.clients {
		c.Plan(ctx, o.Machine)
	}
	if err := o.indicated(); err != nil {
		return err
	}
	if !o.pending() {
		o.runtime = nil // nobody would call it
	}
	if o.inv.JSON {
		return nil
	}
	u := o.inv.UI
	for _, c := range o.clients {
		for _, p := range c.Plans {
			sayPlan(u, name(c), p, o.Home)
		}
	}
	if o.runtime != nil && len(o.runtime.changes) > 0 {
		u.Print("%s", u.Styled(ui.Bold, "acc itself, from "+ui.Escape(shorten(o.runtime.from, o.Home))))
		sayChanges(u, o.runtime.changes, o.Home)
	}
	return nil
}

// indicated refuses a choice about status lines that nobody could follow.
func (o *install) indicated() error {
	if o.Indicator == adapter.KeepIndicator {
		return nil
	}
	for _, c := range o.clients {
		if c.State == installer.Failed || len(c.Plans) > 0 && c.Plans[0].Indicator != adapter.NoIndicator {
			return nil
		}
	}
	return invalid("none of these clients has a status line that acc can write").WithHint("leave --indicator out")
}

// apply writes: the executables first, so that no client is ever wired to nothing.
func (o *install) apply(ctx context.Context) error {
	if err := o.plan(ctx); err != nil || !o.pending() {
		return err
	}
	if err := o.runtime.apply(ctx); err != nil {
		return err
	}
	for _, c := range o.clients {
		c.Install(ctx, o.Machine)
	}
	return errors.Join(o.wired(ctx), o.record())
}

func (o *install) answer() Answer {
	data := view.InstallData{DryRun: o.dryRun, Clients: installedClients(o.clients), Delivery: o.decisions}
	var notes []string
	if o.runtime != nil {
		data.Runtime = &view.RuntimeCopy{Kind: o.runtime.kind, Directory: o.home.Bin(), From: o.runtime.from, Changes: o.runtime.changes}
		notes = o.runtime.notes
	}
	a := answer(view.Install, data, o.say)
	a.Warnings = notes
	for _, c := range o.clients {
		if c.State == installer.Failed {
			a.Code = protocol.Data
		}
	}
	return a
}

// say tells what came of it, and what is left to the person.
func (o *install) say(u *ui.UI) {
	sayStates(u, o.clients, map[installer.State]string{
		installer.Done: "installed into", installer.Unchanged: "as it should be in", installer.Absent: "not on this machine",
	})
	if !o.dryRun && o.runtime != nil {
		u.Print("runtime: %s, %s", ui.Escape(shorten(o.home.Bin(), o.Home)), o.runtime.words)
	}
	for _, d := range o.decisions {
		u.Print("%s", o.deliveryWords(d))
	}
	if o.Indicator != adapter.KeepIndicator {
		sayIndicators(u, o.clients)
	}
	saySteps(u, o.clients)
	sayFailures(u, o.clients)
	if o.dryRun {
		u.Note("nothing was touched")
	}
}

func (o *install) deliveryWords(d view.DeliveryDecision) string {
	line := "messages that may wake " + o.displayName(d.AdapterID) + ": " + map[protocol.LivePolicy]string{
		protocol.LiveOff: "none", protocol.LiveActionable: "those that need an answer or an action", protocol.LiveAll: "all",
	}[d.Policy]
	if d.Source == view.NotDecided {
		return line + ", until you decide: acc install --adapter " + d.AdapterID + " --delivery actionable"
	}
	return line
}

func (o *install) displayName(id string) string {
	for _, i := range o.installers {
		if i.ID() == id {
			return i.DisplayName()
		}
	}
	return id
}

// sayStates names the clients of each state, in one line each.
func sayStates(u *ui.UI, clients []*installer.Client, words map[installer.State]string) {
	for _, state := range []installer.State{installer.Done, installer.Unchanged, installer.Absent} {
		var names []string
		for _, c := range clients {
			if c.State == state {
				names = append(names, name(c))
			}
		}
		if len(names) > 0 && words[state] != "" {
			u.Print("%s: %s", words[state], ui.Escape(strings.Join(names, ", ")))
		}
	}
}
