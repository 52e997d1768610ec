// Package skill is the text that teaches a model to use acc. It is the same for every client; only the
// command differs, because nothing is on a model's PATH for certain.
package skill

import (
	_ "embed"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
)

// Name is the skill's name and the name of its directory; File the name of the file in it.
const (
	Name = "acc"
	File = "SKILL.md"
)

//go:embed skill.md
var template string

// end begins what stands below the last section.
const end = "\n<!-- "

// Text is the skill for one machine, with the absolute path of its acc command. more are sections, with
// their headings, of what only one client can do.
func Text(m adapter.Machine, more ...string) ([]byte, error) {
	command, err := installkit.CLICommand(m)
	if err != nil {
		return nil, err
	}
	text, rest, _ := strings.Cut(template, end)
	for _, section := range more {
		text += "\n" + strings.TrimSpace(section) + "\n"
	}
	return []byte(strings.NewReplacer(
		"{{ACC}}", command,
		"{{VERSION}}", installkit.VersionLine(m.Version),
	).Replace(text + end + rest)), nil
}

// Description is the sentence by which a client decides when to show the skill.
func Description() string {
	_, rest, _ := strings.Cut(template, "description: ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
