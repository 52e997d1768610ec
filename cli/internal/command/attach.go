package command

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func attachCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "attach", Group: groupLifecycle, Common: true,
			Summary: "open a session by hand and print its owner pair",
			Options: []argv.Option{
				{Name: "participant", Value: "NAME", Required: true, Usage: "what others address"},
				{Name: "harness", Value: "CLIENT", Default: "cli", Usage: "the client that speaks"},
				{Name: "kind", Value: "KIND", Default: string(protocol.Agent), Choices: []string{string(protocol.Agent), string(protocol.Human)}, Usage: "a model or a person"},
				{Name: "cadence", Value: "MS", Default: "30000", Usage: "milliseconds between heartbeats; three missed make it stale"},
				{Name: "parent", Value: "ID", Usage: "the session that starts this one"},
				{Name: "session", Value: "ID", Usage: "open this id, unless it is live; with --generation: resume it"},
				{Name: "generation", Value: "KEY", Usage: "the key that --session has"},
			},
			Notes: []string{
				"Prints the session id and its key on one line. Clients with hooks attach by themselves.",
				"Without heartbeats the session counts as gone after 30 minutes.",
			},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseAttach(given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type attachOptions struct{ open core.OpenSession }

func parseAttach(given *flags.Context) (attachOptions, error) {
	cadence, err := span(given, "cadence", time.Millisecond, protocol.AttachCadence)
	if err != nil {
		return attachOptions{}, err
	}
	harness := given.String("harness")
	if harness == "" {
		harness = "cli"
	}
	kind := protocol.ParticipantKind(given.String("kind"))
	if kind == "" {
		kind = protocol.Agent
	}
	if given.String("session") == "" && given.String("generation") != "" {
		return attachOptions{}, unresolved("--generation without --session names no session")
	}
	return attachOptions{core.OpenSession{
		SessionID: given.String("session"), Generation: given.String("generation"),
		ParticipantID: given.String("participant"), ParticipantOf: kind,
		Harness: harness, ParentSessionID: given.String("parent"),
		Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: cadence,
	}}, nil
}

func (o attachOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	if o.open.SessionID != "" && o.open.Generation == "" {
		o.open.Generation = r.Core.NewOwner().Generation
	}
	o.open.CheckoutRoot = r.Workspace.CheckoutRoot()
	if r.Workspace.Git != nil {
		o.open.Branch = r.Workspace.Git.Branch
	}
	session, err := r.Core.OpenSession(ctx, o.open)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Attached, session, func(u *ui.UI) { u.Print("%s %s", session.SessionID, session.Generation) })
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}
