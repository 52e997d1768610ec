package ui

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes text fit for one line of a terminal: control characters, line and paragraph separators,
// direction marks, other invisible format characters and invalid bytes are shown as escapes instead of
// being obeyed. Zero-width joiners stay, because scripts and emoji need them.
func Escape(text string) string {
	if !needsEscape(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case hidden(r):
			b.WriteString(escapeRune(r))
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

func needsEscape(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, hidden)
}

// hidden says whether a terminal or a reader would not see r as a character.
func hidden(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
		return true
	}
	return false
}

func escapeRune(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Quote gives the lines of peer prose, each escaped and behind "| ", so that no line of it can be taken
// for a line of ours. Tabs become spaces.
func Quote(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\t", "    ")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("| "+Escape(line), " ")
	}
	return lines
}

// Width is the number of columns that text takes on a terminal: wide East Asian characters and emoji
// take two, combining marks and joiners none.
func Width(text string) int {
	width := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.Is(wide, r):
			width += 2
		default:
			width++
		}
	}
	return width
}

// wide holds the blocks whose characters take two columns. It is coarse: a mistake costs a crooked
// column, nothing else.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1},
		{Lo: 0x2e80, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1},
		{Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

// Cut shortens one line to at most columns, marking the cut with an ellipsis.
func Cut(text string, columns int) string {
	if Width(text) <= columns {
		return text
	}
	var b strings.Builder
	width := 0
	for _, r := range text {
		if width += Width(string(r)); width > columns-1 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}
