// Package manual writes the parts of docs/cli.md that the code knows: what each command accepts and what
// each answer holds. A test keeps the page and the code together.
package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Sections gives the generated parts of the page by the name in their markers.
func Sections(tables []*argv.Command) map[string]string {
	return map[string]string{
		"globals":  optionTable(argv.Globals),
		"commands": commandSections(tables),
		"error":    rowTable(view.FailureRows()),
		"meta":     rowTable(view.MetaRows()),
		"answers":  answerSections(),
		"exits":    exitTable(),
		"env":      variableTable(),
	}
}

// Fill puts the sections between their markers in page. A marker without a section, or a section
// without a marker, is an error.
func Fill(page string, sections map[string]string) (string, error) {
	var out strings.Builder
	var open string
	left := map[string]bool{}
	for name := range sections {
		left[name] = true
	}
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(line)
		if name, found := marker(text, "begin "); found {
			body, known := sections[name]
			if !known || open != "" {
				return "", fmt.Errorf("unexpected marker %q", text)
			}
			open = name
			delete(left, name)
			out.WriteString(line + "\n" + body + "\n")
			continue
		}
		if name, found := marker(text, "end "); found {
			if name != open {
				return "", fmt.Errorf("unexpected marker %q", text)
			}
			open = ""
		}
		if open == "" {
			out.WriteString(line)
		}
	}
	if open != "" || len(left) > 0 {
		return "", fmt.Errorf("%q is not closed, %v have no place", open, left)
	}
	return out.String(), nil
}

// marker reads `<!-- begin NAME -->` and `<!-- end NAME -->`.
func marker(line, verb string) (string, bool) {
	name, found := strings.CutPrefix(line, "<!-- "+verb)
	if !found {
		return "", false
	}
	return strings.CutSuffix(name, " -->")
}

func commandSections(tables []*argv.Command) string {
	var b strings.Builder
	var group string
	for _, c := range tables {
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(&b, "### %s\n\n", group)
		}
		commandSection(&b, c.Name, c)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func commandSection(b *strings.Builder, name string, c *argv.Command) {
	fmt.Fprintf(b, "#### acc %s\n\n%s.\n\n", name, upperFirst(c.Summary))
	for _, a := range c.Arguments {
		fmt.Fprintf(b, "`%s` %s.\n\n", a.Name, a.Usage)
	}
	if len(c.Options) > 0 {
		b.WriteString(optionTable(c.Options) + "\n")
	}
	for _, note := range c.Notes {
		fmt.Fprintf(b, "%s\n", note)
	}
	if len(c.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, sub := range c.Subcommands {
		commandSection(b, name+" "+sub.Name, sub)
	}
}

func optionTable(options []argv.Option) string {
	var b strings.Builder
	b.WriteString("| option | | meaning |\n|---|---|---|\n")
	for _, o := range options {
		var facts []string
		if o.Required {
			facts = append(facts, "required")
		}
		if o.Repeated {
			facts = append(facts, "repeatable")
		}
		if o.Default != "" {
			facts = append(facts, "default "+o.Default)
		}
		usage := o.Usage
		if len(o.Choices) > 0 {
			usage += ": " + strings.Join(o.Choices, ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimSpace("--"+o.Name+" "+o.Value), strings.Join(facts, ", "), cell(usage))
	}
	return b.String()
}

func answerSections() string {
	var b strings.Builder
	for _, schema := range view.All() {
		fmt.Fprintf(&b, "#### %s\n\n%s\n\n%s\n", schema.Name(), schema.Doc(), rowTable(schema.Rows()))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func rowTable(rows []strictjson.Row) string {
	var b strings.Builder
	b.WriteString("| member | type | meaning |\n|---|---|---|\n")
	for _, r := range rows {
		typ := r.Type
		if r.Type == "enum" || r.Type == "enum or null" {
			typ = strings.Replace(r.Type, "enum", r.Limits, 1)
		}
		if slices.Contains([]string{"string", "integer"}, r.Type) && strings.HasPrefix(r.Limits, "exactly ") {
			typ = r.Limits
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, cell(typ), cell(r.Doc))
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func upperFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
