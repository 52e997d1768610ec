package command

import (
	"context"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func workCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "work", Group: groupSession, Common: true,
			Summary: "say what you are doing, so that others can keep out of the way",
			Options: withOwner(
				argv.Option{Name: "summary", Value: "TEXT", Usage: "one line, at most 280 characters"},
				argv.Option{Name: "mode", Value: "MODE", Default: string(protocol.ModeEdit), Usage: "what kind of work", Choices: texts(
					protocol.ModeObserve, protocol.ModeExplore, protocol.ModeEdit, protocol.ModeReview, protocol.ModeCoordinate, protocol.ModeWait)},
				argv.Option{Name: "state", Value: "STATE", Default: string(protocol.IntentActive), Usage: "how far it is", Choices: texts(
					protocol.IntentActive, protocol.IntentBlocked, protocol.IntentWaiting, protocol.IntentDone)},
				argv.Option{Name: "hint", Value: "PATH", Repeated: true, Usage: "what you are about to touch, as for acc claim"},
				argv.Option{Name: "clear", Usage: "say that you are doing nothing any more"},
			),
			Notes: []string{"An intent reserves nothing: acc claim does."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseWork(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type workOptions struct {
	who   core.Owner
	clear bool
	req   core.IntentRequest // ResourceHints as they were written
}

func parseWork(inv *Invocation, given *flags.Context) (workOptions, error) {
	who, err := owner(inv, given)
	if err != nil {
		return workOptions{}, err
	}
	o := workOptions{who, given.Bool("clear"), core.IntentRequest{
		Summary: given.String("summary"), Mode: protocol.IntentMode(given.String("mode")),
		State: protocol.IntentState(given.String("state")), ResourceHints: given.StringSlice("hint"),
	}}
	switch described := o.req.Summary != "" || o.req.Mode != "" || o.req.State != "" || len(o.req.ResourceHints) > 0; {
	case o.clear && described:
		return workOptions{}, invalid("--clear stands alone")
	case !o.clear && o.req.Summary == "":
		return workOptions{}, invalid("acc work needs --summary TEXT or --clear").WithHint("acc work --help")
	}
	return o, nil
}

func (o workOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	var data view.IntentData
	var warnings []string
	if o.clear {
		err = r.Core.ClearIntent(ctx, o.who)
	} else {
		for i, hint := range o.req.ResourceHints {
			named, err := resourceName(inv, r, hint)
			if err != nil {
				return Answer{}, err
			}
			o.req.ResourceHints[i] = named.Resource
			warnings = append(warnings, nameOnly(hint, named, "--hint '%s'")...)
		}
		var intent protocol.Intent
		intent, err = r.Core.PublishIntent(ctx, o.who, o.req)
		data.Intent = &intent
	}
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Intent, data, func(u *ui.UI) { sayIntent(u, data.Intent) })
	a.WorkspaceID, a.Warnings = r.Workspace.ID, warnings
	return a, nil
}

func sayIntent(u *ui.UI, intent *protocol.Intent) {
	if intent == nil {
		u.Print("cleared")
		return
	}
	u.Print("%s, %s: %s", intent.Mode, intent.State, ui.Escape(intent.Summary))
	if len(intent.ResourceHints) > 0 {
		u.Print("  %s", ui.Escape(strings.Join(intent.ResourceHints, "  ")))
	}
}

// texts gives the words of a vocabulary.
func texts[S ~string](values ...S) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
