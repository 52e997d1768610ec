// Package ui is the only place that writes to a person's terminal.
//
// The rules:
//
//  1. stdout is the answer, stderr is information about it. What has nothing to say prints nothing.
//  2. An error is "acc: " and one line, lower case, without a full stop, followed by "hint: " and the
//     one next command when there is one. Nothing else goes to stderr but "note: " lines.
//  3. With --json stdout carries exactly one object and stderr nothing.
//  4. An id is printed whole, so that it can be copied. A time is relative where its distance matters
//     and a clock time where its order matters.
//  5. Colour only on a terminal, never with NO_COLOR, and never the only carrier of a meaning.
//  6. Text written by a peer passes through Escape or Quote: control and direction characters are
//     shown, not obeyed, and a body cannot imitate the frame around it.
//  7. Columns are aligned, two spaces apart; a missing value is "-".
package ui

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// UI writes to the two streams of a command.
type UI struct {
	out, err io.Writer
	terminal bool // the answer goes to a terminal
	colour   bool
	silent   bool  // nothing is said about what goes on
	failed   error // the first write of the answer that failed
	progress *Progress
}

// New gives a UI. Colour is used when stdout is a terminal and the environment does not refuse it.
func New(stdout, stderr io.Writer, env func(string) string) *UI {
	terminal := isTerminal(stdout)
	return &UI{out: stdout, err: stderr, terminal: terminal, colour: terminal && env("NO_COLOR") == "" && env("TERM") != "dumb"}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Print writes one line of the answer.
func (u *UI) Print(format string, args ...any) {
	u.Raw(fmt.Appendf(nil, format+"\n", args...))
}

// Raw writes bytes of the answer as they are.
func (u *UI) Raw(data []byte) {
	u.Quiet()
	if _, err := u.out.Write(data); err != nil && u.failed == nil {
		u.failed = err
	}
}

// Write is Raw for who wants an io.Writer.
func (u *UI) Write(data []byte) (int, error) {
	u.Raw(data)
	return len(data), u.failed
}

// Err is the first error of writing the answer: what was not shown was not answered.
func (u *UI) Err() error { return u.failed }

// Terminal says whether the answer goes to a terminal.
func (u *UI) Terminal() bool { return u.terminal }

// Frame draws the whole of a terminal anew. What is wider than the terminal is cut by it, so that a line takes one row.
func (u *UI) Frame(draw func()) {
	u.Raw([]byte("\x1b[H\x1b[2J\x1b[?7l"))
	draw()
	u.Raw([]byte("\x1b[?7h"))
}

// Note writes one line of information to stderr.
func (u *UI) Note(text string) {
	u.Quiet()
	fmt.Fprintf(u.err, "note: %s\n", Escape(text))
}

// Ask writes a question to stderr, whose lines are shown one by one, and leaves the cursor behind it.
func (u *UI) Ask(question string) {
	u.Quiet()
	lines := strings.Split(question, "\n")
	for i, line := range lines {
		lines[i] = Escape(line)
	}
	fmt.Fprint(u.err, strings.Join(lines, "\n"))
}

// Fail writes an error and its hint to stderr.
func (u *UI) Fail(message, hint string) {
	u.Quiet()
	fmt.Fprintf(u.err, "acc: %s\n", Escape(message))
	if hint != "" {
		fmt.Fprintf(u.err, "hint: %s\n", Escape(hint))
	}
}

// Style is an emphasis; the text must carry the meaning without it.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Urgent Style = "33"
	Bad    Style = "31"
	Good   Style = "32"
)

// Styled gives text in a style, or the bare text where colour is off.
func (u *UI) Styled(style Style, text string) string {
	if !u.colour || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Cell is one entry of a table. Its text is escaped when it is printed.
type Cell struct {
	Text  string
	Style Style
}

// Row makes plain cells; an empty text becomes "-".
func Row(texts ...string) []Cell {
	row := make([]Cell, len(texts))
	for i, text := range texts {
		row[i] = Cell{Text: text}
		if text == "" {
			row[i].Text = "-"
		}
	}
	return row
}

// Table prints rows with aligned columns behind an indent. Trailing cells may be missing. Alignment is done here, and not with
// text/tabwriter, because that one counts the bytes of a style as width.
func (u *UI) Table(indent string, rows [][]Cell) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(Escape(cell.Text)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		line.WriteString(indent)
		for i, cell := range row {
			text := Escape(cell.Text)
			line.WriteString(u.Styled(cell.Style, text))
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-Width(text)+2))
			}
		}
		u.Print("%s", strings.TrimRight(line.String(), " "))
	}
}

// Wrap breaks text between words into lines of at most columns, if its words allow.
func Wrap(text string, columns int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= columns:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}
