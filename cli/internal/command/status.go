package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/doctor"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func statusCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "status", Group: groupSession, Common: true,
			Summary: "show who is here, what is claimed and what waits",
			Options: withOwner(
				argv.Option{Name: "all", Usage: "also sessions that are gone"},
				argv.Option{Name: "participant", Value: "NAME", Usage: "only this one"},
			),
			Notes: []string{"With an owner pair it also tells what you owe and what you wait for."},
		},
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			opts, err := parseStatus(inv, given)
			if err != nil {
				return Answer{}, err
			}
			return opts.run(ctx, inv)
		},
	}
}

type statusOptions struct {
	query core.StatusQuery
	only  string // participant; empty: everybody
}

func parseStatus(inv *Invocation, given *flags.Context) (statusOptions, error) {
	o := statusOptions{query: core.StatusQuery{All: given.Bool("all")}, only: given.String("participant")}
	who, found, err := optionalOwner(inv, given)
	if err != nil {
		return statusOptions{}, err
	}
	if found {
		o.query.Owner = &who
	}
	return o, nil
}

func (o statusOptions) run(ctx context.Context, inv *Invocation) (Answer, error) {
	r, err := inv.Room(ctx)
	if err != nil {
		return Answer{}, err
	}
	if inv.Hooks != nil {
		adapters, _ := inv.Hooks() // without them nobody is found
		hookrunner.Discover(ctx, r, inv.Env, adapters)
	}
	status, err := r.Core.Status(ctx, o.query)
	if err != nil {
		return Answer{}, err
	}
	if o.only != "" {
		narrow(&status, o.only)
	}
	data := view.StatusData{Status: status}
	if data.Attempts, err = doctor.LastAttempts(ctx, r, status.Sessions); err != nil {
		return Answer{}, err
	}
	a := answer(view.Status, data, func(u *ui.UI) {
		sayStatus(u, status, o.only, home())
		sayAttempts(u, data)
	})
	a.WorkspaceID = r.Workspace.ID
	return a, nil
}

// narrow leaves what belongs to one participant.
func narrow(s *core.Status, participant string) {
	s.Sessions = slices.DeleteFunc(s.Sessions, func(row core.SessionStatus) bool { return row.ParticipantID != participant })
	s.Claims = slices.DeleteFunc(s.Claims, func(row core.ClaimStatus) bool { return row.OwnerParticipantID != participant })
	s.Bindings = slices.DeleteFunc(s.Bindings, func(row core.BindingStatus) bool { return row.ParticipantID != participant })
}

func sayStatus(u *ui.UI, s core.Status, only, home string) {
	u.Print("%s (%s)  protection: %s", u.Styled(ui.Bold, ui.Escape(s.DisplayName)), extent(s), s.Protection)
	var rows [][]ui.Cell
	for _, session := range s.Sessions {
		row := ui.Row(session.ParticipantID, presenceWords(session, s.Now), shorten(session.CheckoutRoot, home), session.Branch,
			ui.Cut(ui.Escape(session.Intent), 40), mail(session), reach(session))
		row[1].Style = presenceStyle(session.Presence)
		rows = append(rows, row)
	}
	switch {
	case len(rows) == 0 && only != "":
		u.Print("  nobody called %s is here", ui.Escape(only))
	case len(rows) == 0:
		u.Print("  nobody is here")
	}
	u.Table("  ", rows)
	sayClaims(u, s)
	sayOwed(u, s)
}

// sayAttempts tells of sessions that could not be made reachable. It is apart from mail: that waits all the same.
func sayAttempts(u *ui.UI, data view.StatusData) {
	var rows [][]ui.Cell
	for _, a := range data.Attempts {
		if a.Reason != "" {
			rows = append(rows, ui.Row(a.ParticipantID, a.Reason, "tried at "+a.Event+" "+ui.Ago(data.Now, a.At), a.LaunchOption))
		}
	}
	section(u, "cannot be woken", rows)
}

func sayClaims(u *ui.UI, s core.Status) {
	var rows [][]ui.Cell
	for _, c := range s.Claims {
		who := c.OwnerParticipantID
		if who == "" {
			who = c.OwnerSessionID
		}
		mode := string(c.Enforcement)
		if c.Mode == protocol.Shared {
			mode += ", shared"
		}
		rows = append(rows, ui.Row(c.Resource, who, mode, ui.Left(s.Now, c.ExpiresAt), c.ClaimID, ui.Cut(ui.Escape(c.Reason), 60)))
	}
	section(u, "claims", rows)
}

func sayOwed(u *ui.UI, s core.Status) {
	section(u, "attention", attentionRows(s.Attention))
	var rows [][]ui.Cell
	for _, w := range s.Waiting {
		rows = append(rows, ui.Row(w.MessageID, string(w.MessageKind)+" to "+w.Recipient, string(w.State)+" "+ui.Ago(s.Now, w.Since), ui.Cut(ui.Escape(w.Subject), 60)))
	}
	section(u, "waiting", rows)
}

func attentionRows(items []core.AttentionItem) [][]ui.Cell {
	var rows [][]ui.Cell
	for _, item := range items {
		row := ui.Row(string(item.AttentionKind), item.SourceID, ui.Cut(ui.Escape(item.Summary), 80))
		row[0].Style = ui.Urgent
		rows = append(rows, row)
	}
	return rows
}

// section prints a heading and its rows, or nothing.
func section(u *ui.UI, title string, rows [][]ui.Cell) {
	if len(rows) == 0 {
		return
	}
	u.Print("\n%s", u.Styled(ui.Bold, title))
	u.Table("  ", rows)
}

// extent says how the room was found and how many checkouts its sessions work in.
func extent(s core.Status) string {
	checkouts := map[string]bool{}
	for _, session := range s.Sessions {
		if session.CheckoutRoot != "" {
			checkouts[session.CheckoutRoot] = true
		}
	}
	if len(checkouts) > 1 {
		return fmt.Sprintf("%s, %d checkouts", s.Source, len(checkouts))
	}
	return string(s.Source)
}

// mail says what a participant has not read.
func mail(s core.SessionStatus) string {
	var parts []string
	more := ""
	if s.CountsCut {
		more = "+"
	}
	if s.Queued > 0 {
		parts = append(parts, fmt.Sprintf("%d%s queued", s.Queued, more))
	}
	if s.Offered > 0 {
		parts = append(parts, fmt.Sprintf("%d%s offered, not retrieved", s.Offered, more))
	}
	return strings.Join(parts, ", ")
}

// idleAfter is how long a session is silent before it is called idle.
const idleAfter = protocol.StaleCadences * protocol.HookCadence

// presenceWords says what is known of a session and no more: a silent session whose process lives is
// idle; one of which no process is known does not answer.
func presenceWords(s core.SessionStatus, now time.Time) string {
	silent := now.Sub(s.HeartbeatAt)
	switch {
	case s.Presence == protocol.Online && silent > idleAfter:
		return "idle " + ui.Span(silent)
	case s.Presence == protocol.Stale:
		return "not answering " + ui.Span(silent)
	case s.Presence == protocol.Offline && s.EndReason != "":
		return "offline (" + ui.Cut(ui.Escape(s.EndReason), 20) + ")"
	}
	return string(s.Presence)
}

// reach says when a message would be seen.
func reach(s core.SessionStatus) string {
	switch {
	case s.Presence == protocol.Offline:
		return "when it returns"
	case s.LiveDelivery && s.LiveLeaseCurrent:
		return "wake on send"
	case s.LiveDelivery:
		return "wake on send, if it still answers"
	case s.Lifecycle == protocol.Managed:
		return "next turn"
	}
	return "inbox only"
}

func presenceStyle(p protocol.Presence) ui.Style {
	if p == protocol.Online {
		return ui.Good
	}
	return ui.Dim
}

// shorten writes the home directory as ~.
func shorten(path, home string) string {
	if home == "" {
		return path
	}
	if rest, below := strings.CutPrefix(path, home+string(filepath.Separator)); below {
		return filepath.Join("~", rest)
	}
	return path
}

func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return "" // nothing is shortened
	}
	return dir
}
