package doctest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Block is a fenced block of commands.
type Block struct {
	Line     int    // of the opening fence, from 1
	Mode     string // "", "ci", "checkout" or "skip"
	Commands []Command
}

// Command is one command of a block.
type Command struct {
	Line     int    // from 1
	Shell    string // the word before the prompt; empty for a plain one
	Text     string // as written, continuation lines joined by newlines
	Exit     int    // the exit code that the document announces
	Compared bool   // whether Output is to be compared; false in sh blocks
	Output   []string
}

var (
	fence     = regexp.MustCompile("^(`{3,}|~{3,}) *([^`~ ]*)")
	directive = regexp.MustCompile(`^<!-- doctest: (\w+)(?: (.+))? -->$`)
	prompt    = regexp.MustCompile(`^([a-z]*)\$ (.*)$`)
	announced = regexp.MustCompile(`# exit (\d+)$`)
)

// Parse finds the blocks of commands in a Markdown document.
func Parse(text string) ([]Block, error) {
	var blocks []Block
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	mode, modeLine := "", 0
	for i := 0; i < len(lines); i++ {
		if d := directive.FindStringSubmatch(lines[i]); d != nil {
			if err := checkDirective(d); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			mode, modeLine = d[1], i
			continue
		}
		open := fence.FindStringSubmatch(lines[i])
		if open == nil {
			continue
		}
		start := i + 1
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != open[1]; i++ {
			continue
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: the block is not closed", start)
		}
		b := Block{Line: start}
		if mode != "" && modeLine == start-2 {
			b.Mode = mode
		}
		mode = ""
		switch open[2] {
		case "sh":
			b.Commands = shellCommands(lines[start:i], start+1)
		case "console":
			commands, err := consoleCommands(lines[start:i], start+1)
			if err != nil {
				return nil, err
			}
			b.Commands = commands
		case "", "bash", "shell":
			return nil, fmt.Errorf("line %d: the block says not what it holds: sh and console are run, text and names of languages are not", start)
		default:
			continue
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func checkDirective(d []string) error {
	switch {
	case d[1] == "skip" && d[2] == "":
		return fmt.Errorf("a block is skipped without a reason")
	case d[1] != "skip" && d[1] != "ci" && d[1] != "checkout":
		return fmt.Errorf("unknown directive %q; there are ci, checkout and skip REASON", d[1])
	}
	return nil
}

// shellCommands splits a sh block at line ends that are not escaped; blank lines and comments are left out.
func shellCommands(lines []string, first int) []Command {
	var commands []Command
	for i := 0; i < len(lines); i++ {
		text, at := lines[i], first+i
		for strings.HasSuffix(text, "\\") && i+1 < len(lines) {
			i++
			text += "\n" + lines[i]
		}
		if trimmed := strings.TrimSpace(text); trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		commands = append(commands, Command{Line: at, Text: text, Exit: exitCode(text)})
	}
	return commands
}

func consoleCommands(lines []string, first int) ([]Command, error) {
	var commands []Command
	for i := 0; i < len(lines); i++ {
		p := prompt.FindStringSubmatch(lines[i])
		if p == nil {
			if len(commands) == 0 {
				return nil, fmt.Errorf("line %d: a console block begins with a prompt", first+i)
			}
			last := &commands[len(commands)-1]
			last.Output = append(last.Output, lines[i])
			continue
		}
		c := Command{Line: first + i, Shell: p[1], Text: p[2], Compared: true}
		for strings.HasSuffix(c.Text, "\\") && i+1 < len(lines) {
			i++
			c.Text += "\n" + lines[i]
		}
		c.Exit = exitCode(c.Text)
		commands = append(commands, c)
	}
	return commands, nil
}

func exitCode(command string) int {
	m := announced.FindStringSubmatch(command)
	if m == nil {
		return 0
	}
	code, err := strconv.Atoi(m[1])
	if err != nil {
		return -1 // no command exits so: the comparison will tell
	}
	return code
}
