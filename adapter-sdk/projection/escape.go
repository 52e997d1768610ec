package projection

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// Line makes peer text safe inside a line of acc's own: one line, nothing hidden, no fence, no tag of
// the client, no quotation mark that could end the quotation around it.
func Line(text string, tags []string) string {
	return escape(text, tags, true)
}

// block makes peer text safe inside a frame. Line ends and tabs stay, and a line that begins like a
// line of the frame loses that likeness.
func block(text string, tags []string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = escape(text, tags, false)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = disguise(line)
	}
	return strings.Join(lines, "\n")
}

// frameWords begin the lines that only acc writes, in lower case.
var frameWords = [...]string{"subject:", "body:", "repeat:", "artifact:", "handoff:", "in reply to ", "acc cli (append):", "room:"}

// disguise escapes the first letter of a line that begins like one of acc's own.
func disguise(line string) string {
	word := strings.TrimLeftFunc(line, unicode.IsSpace)
	for _, w := range frameWords {
		if len(word) >= len(w) && strings.EqualFold(word[:len(w)], w) {
			indent := line[:len(line)-len(word)]
			return indent + escaped(rune(word[0])) + word[1:]
		}
	}
	return line
}

// escape walks the text once. Escapes are plain ASCII, so no escape can make a new thing to escape.
func escape(text string, tags []string, oneLine bool) string {
	if harmless(text, oneLine) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	for i := 0; i < len(text); {
		if n := fenceRun(text[i:]); n > 0 {
			for range n {
				b.WriteString(escaped(rune(text[i])))
			}
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n' && oneLine:
			b.WriteString(`\n`)
		case r == '\r' && oneLine:
			b.WriteString(`\r`)
		case r == '\t' && oneLine:
			b.WriteString(`\t`)
		case r == '"' && oneLine:
			b.WriteString(`\"`)
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case hidden(r), r == '<' && startsTag(text[i+1:], tags):
			b.WriteString(escaped(r))
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// harmless says that nothing in the text can need an escape, which is true of most text.
func harmless(text string, oneLine bool) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf, c == '<', c == '`', c == '~', c == 0x7f:
			return false
		case c == '\n' || c == '\t' || c == '"':
			if oneLine {
				return false
			}
		case c < 0x20:
			return false
		}
	}
	return true
}

// fenceRun is the length of a run of three or more fence characters at the start of s, else 0.
func fenceRun(s string) int {
	if s[0] != '`' && s[0] != '~' {
		return 0
	}
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	if n < 3 {
		return 0
	}
	return n
}

// hidden says that a reader may not see r, or may see what follows it in another order or on another
// line: controls, formatting characters (bidirectional marks, zero widths, tags), line and paragraph
// separators, private use, and letters that are drawn as nothing.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r < 0xa0:
		return false
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Noncharacter_Code_Point)
}

// startsTag says whether what follows a '<' opens or closes one of the tags. White space, the case of
// letters and what follows the name do not matter: a reader may be more generous than a parser.
func startsTag(after string, tags []string) bool {
	after = strings.TrimLeftFunc(after, func(r rune) bool { return r == '/' || unicode.IsSpace(r) })
	for _, tag := range tags {
		if len(after) >= len(tag) && strings.EqualFold(after[:len(tag)], tag) {
			return true
		}
	}
	return false
}

// escaped writes a character as \uXXXX, or as \UXXXXXXXX beyond the basic plane.
func escaped(r rune) string {
	digits, prefix := 4, `\u`
	if r > 0xffff {
		digits, prefix = 8, `\U`
	}
	out := []byte(prefix)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		out = append(out, hexDigits[r>>shift&0xf])
	}
	return string(out)
}
