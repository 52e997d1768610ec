package command

import (
	"context"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/doctor"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/mcp-server/mcpinstall"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

func doctorCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "doctor", Group: groupSetup, Common: true,
			Summary: "examine data home, room, clients and installation",
			Options: []argv.Option{
				homeOption,
				{Name: "repair", Usage: "make derived data of the room's store again, if nothing else is damaged"},
				{Name: "migrate-store", Usage: "turn the room's store of contract 6 into one of this acc; there is no way back"},
				{Name: "yes", Usage: "with --migrate-store: no client and no other acc is at work here; do not ask"},
			},
			Notes: []string{
				"Says only what it observed, and changes nothing without --repair. Exit code 4 when a check failed.",
				"A hook is known to run when it fired, or when the client itself lists it; what stands in a file is called written.",
			},
		},
		// All of a store is read, and clients are asked.
		Patience: 10 * time.Minute,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			m, err := inv.machine(given)
			if err != nil {
				return Answer{}, err
			}
			switch migrate := given.Bool("migrate-store"); {
			case migrate && given.Bool("repair"):
				return Answer{}, invalid("--migrate-store and --repair exclude each other")
			case migrate:
				return inv.migrate(ctx, m, given.Bool("yes"))
			case given.Bool("yes"):
				return Answer{}, invalid("--yes goes with --migrate-store")
			}
			return examine(ctx, inv, m, given.Bool("repair")), nil
		},
	}
}

func examine(ctx context.Context, inv *Invocation, m machine, repair bool) Answer {
	now := time.Now()
	q := doctor.Request{
		Home: m.home, Machine: m.Machine, Installers: m.installers, Repair: repair, Now: now,
		Enter: func(ctx context.Context) (*room.Room, error) { return inv.roomOf(ctx, m.Env) },
	}
	q.Lives, _ = inv.Lives() // without them nothing is said about waking
	if inv.Hooks != nil {
		q.Adapters, _ = inv.Hooks() // without them nothing is said about evidence
	}
	q.MCP, _ = mcpServers(mcpinstall.Clients()) // each is known
	report := doctor.Examine(ctx, q)
	data := view.DoctorData{Report: report, DataHome: m.home.Acc(), Version: m.Version, Healthy: report.Count(doctor.Fail) == 0}
	a := answer(view.Doctor, data, func(u *ui.UI) { sayReport(u, report, now) })
	a.WorkspaceID = report.WorkspaceID
	if !data.Healthy {
		a.Code = protocol.Data
	}
	return a
}

// sayReport prints a line for each check, and below one that is not as it should be what mends it.
func sayReport(u *ui.UI, r doctor.Report, now time.Time) {
	words := map[doctor.Level]ui.Cell{doctor.OK: {Text: "ok", Style: ui.Good}, doctor.Warn: {Text: "warn", Style: ui.Urgent}, doctor.Fail: {Text: "FAIL", Style: ui.Bad}}
	width := 0
	for _, f := range r.Findings {
		width = max(width, ui.Width(f.Subject))
	}
	for _, f := range r.Findings {
		word := words[f.Level]
		text := f.Text
		if !f.At.IsZero() {
			text += " " + ui.Ago(now, f.At)
		}
		u.Print("%s%*s  %-*s  %s", u.Styled(word.Style, word.Text), 4-len(word.Text), "", width, f.Subject, ui.Escape(text))
		if f.Remedy != "" {
			u.Print("%*s  %s", 4+2+width, "", "-> "+ui.Escape(f.Remedy))
		}
	}
	u.Print("%s", fmt.Sprintf("%d ok, %d warn, %d FAIL", r.Count(doctor.OK), r.Count(doctor.Warn), r.Count(doctor.Fail)))
}
