package command

import (
	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
)

// sayPlan lists the files of one plan before one of them is touched.
func sayPlan(u *ui.UI, client string, p *adapter.Plan, home string) {
	if len(p.Changes)+len(p.Kept) == 0 {
		return
	}
	u.Print("%s  %s", u.Styled(ui.Bold, ui.Escape(client)), ui.Escape(shorten(p.Root, home)))
	sayChanges(u, p.Changes, home)
	for _, k := range p.Kept {
		u.Print("  keep     %s  %s", ui.Escape(shorten(k.Path, home)), ui.Escape(k.Reason))
	}
}

func sayChanges(u *ui.UI, changes []adapter.FileChange, home string) {
	var rows [][]ui.Cell
	for _, c := range changes {
		rows = append(rows, []ui.Cell{{Text: string(c.Action)}, {Text: shorten(c.Path, home)}})
		for _, detail := range c.Details { // below, because paths are long
			rows = append(rows, []ui.Cell{{}, {Text: "  " + detail, Style: ui.Dim}})
		}
	}
	u.Table("  ", rows)
}

// saySteps tells what the person must still do in each client, and what else is worth knowing.
func saySteps(u *ui.UI, clients []*installer.Client) {
	var rows [][]ui.Cell
	for _, c := range clients {
		if c.State == installer.Failed {
			continue
		}
		for _, p := range c.Plans {
			for _, step := range p.Steps {
				rows = append(rows, ui.Row(c.Installer.DisplayName(), step))
			}
		}
	}
	section(u, "still to do", rows)
	for _, c := range clients {
		for _, p := range c.Plans {
			for _, n := range p.Notes {
				u.Note(c.Installer.DisplayName() + ": " + n)
			}
		}
	}
}

// sayIndicators says what the status lines show.
func sayIndicators(u *ui.UI, clients []*installer.Client) {
	for _, c := range clients {
		for _, p := range c.Plans {
			words := map[adapter.IndicatorState]string{
				adapter.IndicatorOn: "acc", adapter.IndicatorOff: "nothing", adapter.IndicatorOther: "what was there before",
			}[p.Indicator]
			if words != "" && c.State != installer.Failed {
				u.Print("status line of %s: %s", ui.Escape(c.Installer.DisplayName()), words)
			}
		}
	}
}

func sayFailures(u *ui.UI, clients []*installer.Client) {
	for _, c := range clients {
		if c.State == installer.Failed {
			e := failure(c)
			u.Fail(c.Installer.DisplayName()+": "+e.Message, e.Hint)
		}
	}
}

func installedClients(clients []*installer.Client) []view.InstalledClient {
	var all []view.InstalledClient
	for _, c := range clients {
		data := view.InstalledClient{
			AdapterID: c.Installer.ID(), DisplayName: c.Installer.DisplayName(), Version: c.Detection.Version, State: view.ClientState(c.State),
		}
		for _, p := range c.Plans {
			data.Roots = append(data.Roots, p.Root)
			data.Changes = append(data.Changes, p.Changes...)
			data.Kept = append(data.Kept, p.Kept...)
			data.Steps = append(data.Steps, p.Steps...)
			data.Notes = append(data.Notes, p.Notes...)
			data.Indicator = p.Indicator
		}
		if c.Err != nil {
			f := view.FailureOf(failure(c))
			data.Error = &f
		}
		all = append(all, data)
	}
	return all
}
