package manual

import (
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/argv"
)

// Page gives the manual page of acc in man(7) macros.
func Page(tables []*argv.Command) string {
	var b strings.Builder
	b.WriteString(".TH ACC 1\n.SH NAME\nacc \\- let AI coding sessions on one machine see each other and coordinate\n")
	b.WriteString(".SH SYNOPSIS\n.B acc\n.I COMMAND\n[options]\n")
	b.WriteString(".SH DESCRIPTION\nA room is a Git repository with all its worktrees, or a directory. Sessions in a room publish what they do,\n" +
		"claim files before they edit them, and exchange messages with receipts. Clients take part through their\n" +
		"hooks; people and models through these commands.\n")
	b.WriteString(".SH GLOBAL OPTIONS\nAccepted by every command, before or after its name.\n")
	pageOptions(&b, argv.Globals)
	var group string
	for _, c := range tables {
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(escape(group)))
		}
		pageCommand(&b, c.Name, c)
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range ExitCodes {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s.\n", e.Code, escape(upperFirst(e.Meaning)))
	}
	b.WriteString(".SH ENVIRONMENT\n")
	for _, v := range Variables {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s.\n", escape(v.Name), escape(upperFirst(v.Meaning)))
	}
	return b.String()
}

func pageCommand(b *strings.Builder, name string, c *argv.Command) {
	fmt.Fprintf(b, ".SS acc %s", escape(name))
	for _, a := range c.Arguments {
		fmt.Fprintf(b, " %s", escape(a.Name))
	}
	fmt.Fprintf(b, "\n%s.\n", escape(upperFirst(c.Summary)))
	for _, note := range c.Notes {
		fmt.Fprintf(b, ".br\n%s\n", escape(note))
	}
	pageOptions(b, c.Options)
	for _, sub := range c.Subcommands {
		pageCommand(b, name+" "+sub.Name, sub)
	}
}

func pageOptions(b *strings.Builder, options []argv.Option) {
	for _, o := range options {
		fmt.Fprintf(b, ".TP\n.BR \\-\\-%s", escape(o.Name))
		if !o.IsFlag() {
			fmt.Fprintf(b, " \" \" \\fI%s\\fR", escape(o.Value))
		}
		fmt.Fprintf(b, "\n%s.", escape(upperFirst(o.Usage)))
		if len(o.Choices) > 0 {
			fmt.Fprintf(b, " One of %s.", escape(strings.Join(o.Choices, ", ")))
		}
		if o.Default != "" {
			fmt.Fprintf(b, " Default %s.", escape(o.Default))
		}
		b.WriteString("\n")
	}
}

// escape keeps text from being read as requests and hyphens from being broken.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
