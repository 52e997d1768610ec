package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/demo"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	flags "github.com/urfave/cli/v2"
)

func demoCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "demo", Group: groupAbout,
			Summary: "play two sessions coordinating in a temporary repository",
			Options: []argv.Option{{Name: "keep", Usage: "leave repository and room, and say where"}},
			Notes:   []string{"Needs git, and acc-hook beside acc or a checkout to build it from. Your own rooms are not touched."},
		},
		// The first build of acc-hook may have to fetch modules.
		Patience: 5 * time.Minute,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			return runDemo(ctx, inv, given.Bool("keep"))
		},
	}
}

func runDemo(ctx context.Context, inv *Invocation, keep bool) (Answer, error) {
	opts := demo.Options{Keep: keep, Step: func(view.DemoStep) {}, Note: func(string) {}}
	if !inv.JSON {
		opts.Step = func(step view.DemoStep) { sayStep(inv.UI, step) }
		opts.Note = inv.UI.Note
	}
	data, err := demo.Play(ctx, opts)
	if err != nil {
		return Answer{}, err
	}
	a := answer(view.Demo, data, func(u *ui.UI) {
		u.Print("\nEvery line was a process of its own; what they know of each other went through the store.")
		if data.Kept != "" {
			u.Print("kept in %s", data.Kept)
		}
	})
	a.WorkspaceID = data.WorkspaceID
	return a, nil
}

func sayStep(u *ui.UI, step view.DemoStep) {
	u.Print("%s %s", u.Styled(ui.Bold, fmt.Sprintf("%-5s", step.Actor)), ui.Escape(step.Did))
	facts := fmt.Sprintf("      %s, pid %d, %d ms", step.Program, step.PID, step.DurationMS)
	if step.Saw != "" {
		facts += ": " + ui.Escape(step.Saw)
	}
	u.Print("%s", u.Styled(ui.Dim, facts))
	for _, r := range step.Receipts {
		if step.Saw == "" {
			u.Print("      receipt of %s with %s: %s", r.MessageID, r.Recipient, strings.ToLower(r.State))
		}
	}
}
