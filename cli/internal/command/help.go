package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	flags "github.com/urfave/cli/v2"
)

func helpCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "help", Group: groupAbout,
			Summary:   "list the commands, or explain one",
			Arguments: []argv.Argument{{Name: "COMMAND", Repeated: true, Usage: "and its subcommand"}},
		},
		Run: func(_ context.Context, _ *Invocation, given *flags.Context) (Answer, error) {
			return runHelp(Tables(), given.Args().Slice())
		},
	}
}

func runHelp(tables []*argv.Command, path []string) (Answer, error) {
	if len(path) == 0 {
		data := overview(tables)
		return answer(view.Help, data, func(u *ui.UI) { sayOverview(u, data) }), nil
	}
	known := tables
	var found *argv.Command
	for i, name := range path {
		next, ok := argv.Find(known, name)
		if !ok {
			e := invalid("there is no command %q", strings.Join(path[:i+1], " ")).WithHint("acc help lists the commands")
			if near := argv.Suggest(name, argv.Names(known)); near != "" {
				e = e.WithHint("did you mean "+near+"?").With("suggestion", near)
			}
			return Answer{}, e
		}
		found, known = next, next.Subcommands
	}
	data := explain(strings.Join(path, " "), found)
	return answer(view.CommandHelp, data, func(u *ui.UI) { sayCommand(u, data) }), nil
}

func overview(tables []*argv.Command) view.HelpData {
	data := view.HelpData{Globals: argv.Globals}
	for _, title := range groups {
		group := view.HelpGroup{Title: title}
		for _, c := range tables {
			if c.Group == title {
				group.Commands = append(group.Commands, view.HelpLine{Name: c.Name, Summary: c.Summary, Common: c.Common})
			}
		}
		data.Groups = append(data.Groups, group)
	}
	return data
}

// sayOverview fits a screen: it explains what most people need, and names the rest.
func sayOverview(u *ui.UI, data view.HelpData) {
	u.Print("acc lets the AI coding sessions on this machine see each other and coordinate.")
	for _, group := range data.Groups {
		var rows [][]ui.Cell
		var others []string
		for _, c := range group.Commands {
			if c.Common {
				rows = append(rows, ui.Row(fmt.Sprintf("%-7s", c.Name), c.Summary)) // groups are aligned with each other
			} else {
				others = append(others, c.Name)
			}
		}
		rest := strings.Join(others, ", ")
		if len(rows) == 0 {
			u.Print("%s: %s", u.Styled(ui.Bold, group.Title), rest)
			continue
		}
		u.Print("%s", u.Styled(ui.Bold, group.Title))
		u.Table("  ", rows)
		for _, line := range ui.Wrap("also: "+rest, helpColumns-2) {
			u.Print("  %s", line)
		}
	}
	// One line for all: what each of these options means in full is in docs/cli.md and the manual page.
	u.Print("Everywhere: --json prints one JSON object, --cwd DIR acts from there,")
	u.Print("--workspace ROOM selects another room.")
	u.Print("acc help COMMAND explains one, acc man all. acc demo shows two sessions at work.")
}

func explain(name string, c *argv.Command) view.CommandHelpData {
	data := view.CommandHelpData{Name: name, Summary: c.Summary, Arguments: c.Arguments, Options: c.Options, Notes: c.Notes}
	for _, sub := range c.Subcommands {
		data.Subcommands = append(data.Subcommands, view.HelpLine{Name: sub.Name, Summary: sub.Summary})
	}
	return data
}

func sayCommand(u *ui.UI, data view.CommandHelpData) {
	for n, line := range ui.Wrap(synopsis(data), helpColumns-4) {
		u.Print("%*s%s", min(n, 1)*4, "", u.Styled(ui.Bold, line))
	}
	u.Print("  %s", data.Summary)
	var rows [][]ui.Cell
	for _, sub := range data.Subcommands {
		rows = append(rows, ui.Row(sub.Name, sub.Summary))
	}
	for _, a := range data.Arguments {
		rows = append(rows, ui.Row(a.Name, a.Usage))
	}
	rows = append(rows, optionRows(data.Options)...)
	if len(rows) > 0 {
		u.Print("")
		u.Table("  ", wrapped(rows))
	}
	if len(data.Notes) > 0 {
		u.Print("")
	}
	for _, note := range data.Notes {
		if ui.Width(note) <= helpColumns {
			u.Print("%s", note) // with its own spaces
			continue
		}
		for _, line := range ui.Wrap(note, helpColumns) {
			u.Print("%s", line)
		}
	}
}

// helpColumns is the width of a page of help, whatever the terminal is: it is also read by models.
const helpColumns = 80

// wrapped breaks the last cells of rows of two, so that the table fits a page.
func wrapped(rows [][]ui.Cell) [][]ui.Cell {
	first := 0
	for _, row := range rows {
		first = max(first, ui.Width(row[0].Text))
	}
	var all [][]ui.Cell
	for _, row := range rows {
		for n, line := range ui.Wrap(row[1].Text, helpColumns-first-4) {
			if n > 0 {
				row[0] = ui.Cell{}
			}
			all = append(all, []ui.Cell{row[0], {Text: line}})
		}
	}
	return all
}

// synopsis is the command line with what is required.
func synopsis(data view.CommandHelpData) string {
	parts := []string{"acc", data.Name}
	if len(data.Subcommands) > 0 {
		parts = append(parts, "COMMAND")
	}
	for _, a := range data.Arguments {
		name := a.Name
		if a.Repeated {
			name += "..."
		}
		if !a.Required {
			name = "[" + name + "]"
		}
		parts = append(parts, name)
	}
	for _, o := range data.Options {
		if o.Required {
			parts = append(parts, "--"+o.Name, o.Value)
		}
	}
	if slices.ContainsFunc(data.Options, func(o argv.Option) bool { return !o.Required }) {
		parts = append(parts, "[options]")
	}
	return strings.Join(parts, " ")
}

func optionRows(options []argv.Option) [][]ui.Cell {
	var rows [][]ui.Cell
	for _, o := range options {
		name := strings.TrimSpace("--" + o.Name + " " + o.Value)
		if o.Repeated {
			name += "..."
		}
		usage := o.Usage
		if len(o.Choices) > 0 {
			usage += ": " + strings.Join(o.Choices, ", ")
		}
		if o.Default != "" {
			usage += fmt.Sprintf(" (default %s)", o.Default)
		}
		rows = append(rows, ui.Row(name, usage))
	}
	return rows
}
