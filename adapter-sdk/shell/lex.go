package shell

import "strings"

// kind is the kind of a token.
type kind int

const (
	word     kind = iota // text, quotes taken away
	operator             // ; & && || | newline ( ) { } and ;;
	redirect             // a redirection; its text is the operator without a descriptor number
)

// token is one piece of a command line.
type token struct {
	kind kind
	text string
	// literal is false for a word whose value depends on a variable, a substitution or a pattern.
	literal bool
	// bare is true for a word without any quoting, which alone can be a keyword.
	bare bool
}

// lexer cuts a POSIX shell command line into tokens.
type lexer struct {
	in       string
	at       int
	tokens   []token
	heredocs []heredoc // begun on this line, their bodies follow it
}

// heredoc is a document that begins after the present line.
type heredoc struct {
	end       string
	stripTabs bool
}

// lex gives the tokens, or false for a line that a shell would not accept or that this lexer does not
// understand.
func lex(in string) ([]token, bool) {
	l := lexer{in: in}
	for l.at < len(l.in) {
		if !l.next() {
			return nil, false
		}
	}
	return l.tokens, len(l.heredocs) == 0
}

func (l *lexer) emit(t token) { l.tokens = append(l.tokens, t) }

func (l *lexer) rest() string { return l.in[l.at:] }

// operators, longest first.
var operators = []string{";;", "&&", "||", "|&", ";", "|", "(", ")"}

// redirects, longest first. A << is followed by a document, all others by a word.
var redirects = []string{"&>>", "<<<", "<<-", "&>", ">>", ">|", ">&", "<<", "<&", "<>", ">", "<"}

// next reads one token, or skips a blank or a comment.
func (l *lexer) next() bool {
	switch c := l.in[l.at]; {
	case c == ' ' || c == '\t':
		l.at++
		return true
	case c == '\\' && strings.HasPrefix(l.rest(), "\\\n"):
		l.at += 2
		return true
	case c == '\n':
		l.at++
		l.emit(token{kind: operator, text: "\n"})
		return l.documents()
	case c == '#':
		if end := strings.IndexByte(l.rest(), '\n'); end >= 0 {
			l.at += end
		} else {
			l.at = len(l.in)
		}
		return true
	case c == '(' && l.arithmetic():
		return true
	}
	for _, op := range redirects {
		if strings.HasPrefix(l.rest(), op) {
			l.at += len(op)
			l.emit(token{kind: redirect, text: op})
			if op == "<<" || op == "<<-" {
				return l.document(op == "<<-")
			}
			return true
		}
	}
	for _, op := range operators {
		if strings.HasPrefix(l.rest(), op) {
			l.at += len(op)
			l.emit(token{kind: operator, text: op})
			return true
		}
	}
	if l.in[l.at] == '&' {
		l.at++
		l.emit(token{kind: operator, text: "&"})
		return true
	}
	t, ok := l.word()
	if !ok {
		return false
	}
	if l.at < len(l.in) && (l.in[l.at] == '>' || l.in[l.at] == '<') && t.bare && digits(t.text) {
		return true // the number of a descriptor belongs to the redirection
	}
	l.emit(t)
	return true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// document reads the word that ends a here-document.
func (l *lexer) document(stripTabs bool) bool {
	for l.at < len(l.in) && (l.in[l.at] == ' ' || l.in[l.at] == '\t') {
		l.at++
	}
	if l.at == len(l.in) {
		return false
	}
	end, ok := l.word()
	if !ok || end.text == "" {
		return false
	}
	l.tokens = l.tokens[:len(l.tokens)-1] // nothing is written by a here-document
	l.heredocs = append(l.heredocs, heredoc{end.text, stripTabs})
	return true
}

// documents skips the bodies of the here-documents that the line before began.
func (l *lexer) documents() bool {
	for _, h := range l.heredocs {
		for {
			if l.at >= len(l.in) {
				return false
			}
			line := l.rest()
			next := len(l.in)
			if end := strings.IndexByte(line, '\n'); end >= 0 {
				line, next = line[:end], l.at+end+1
			}
			if h.stripTabs {
				line = strings.TrimLeft(line, "\t")
			}
			l.at = next
			if line == h.end {
				break
			}
		}
	}
	l.heredocs = nil
	return true
}

// meta ends a word that is not quoted.
const meta = " \t\n;&|()<>"

// word reads one word with its quoting.
func (l *lexer) word() (token, bool) {
	var b strings.Builder
	t := token{kind: word, literal: true, bare: true}
	for l.at < len(l.in) && !strings.ContainsRune(meta, rune(l.in[l.at])) {
		switch c := l.in[l.at]; c {
		case '\'':
			end := strings.IndexByte(l.in[l.at+1:], '\'')
			if end < 0 {
				return t, false
			}
			b.WriteString(l.in[l.at+1 : l.at+1+end])
			l.at += end + 2
			t.bare = false
		case '"':
			if !l.doubleQuoted(&b, &t) {
				return t, false
			}
		case '\\':
			if l.at+1 == len(l.in) {
				return t, false
			}
			if l.in[l.at+1] != '\n' {
				b.WriteByte(l.in[l.at+1])
			}
			l.at += 2
			t.bare = false
		case '$', '`':
			if strings.HasPrefix(l.rest(), "$'") {
				if !l.escapeQuoted(&b, &t) {
					return t, false
				}
				continue
			}
			t.literal = false
			if !l.expansion() {
				return t, false
			}
		case '*', '?', '[', '~':
			t.literal = false
			b.WriteByte(c)
			l.at++
		case '{':
			// A brace alone groups commands, {} stands for itself, anything else may expand.
			if strings.HasPrefix(l.rest(), "{}") {
				b.WriteString("{}")
				l.at += 2
				continue
			}
			t.literal = t.literal && b.Len() == 0 && l.at+1 < len(l.in) && strings.ContainsRune(meta, rune(l.in[l.at+1]))
			b.WriteByte(c)
			l.at++
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	t.text = b.String()
	return t, true
}

func (l *lexer) doubleQuoted(b *strings.Builder, t *token) bool {
	t.bare = false
	for l.at++; l.at < len(l.in); {
		switch c := l.in[l.at]; c {
		case '"':
			l.at++
			return true
		case '\\':
			if l.at+1 == len(l.in) {
				return false
			}
			next := l.in[l.at+1]
			if !strings.ContainsRune("$`\"\\\n", rune(next)) {
				b.WriteByte('\\')
			}
			if next != '\n' {
				b.WriteByte(next)
			}
			l.at += 2
		case '$', '`':
			if c == '$' && !expands(l.in[l.at+1:]) {
				b.WriteByte(c)
				l.at++
				continue
			}
			t.literal = false
			if !l.expansion() {
				return false
			}
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	return false
}

// expands says whether what follows a dollar sign makes it more than a dollar sign.
func expands(after string) bool {
	if after == "" {
		return false
	}
	c := after[0]
	return c == '{' || c == '(' || c == '_' || strings.ContainsRune("@*#?$!-", rune(c)) ||
		'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// expansion skips a variable or a substitution, whose value only the shell knows. What a substitution
// runs is not looked at.
func (l *lexer) expansion() bool {
	if l.in[l.at] == '`' {
		for l.at++; l.at < len(l.in); l.at++ {
			switch l.in[l.at] {
			case '\\':
				l.at++
			case '`':
				l.at++
				return true
			}
		}
		return false
	}
	l.at++ // the dollar sign
	if l.at == len(l.in) {
		return true
	}
	switch l.in[l.at] {
	case '(':
		return l.nested('(', ')')
	case '{':
		return l.nested('{', '}')
	}
	return true
}

// escapeQuoted reads $'...'. Of its escapes only those that stand for the character behind the backslash are
// worth knowing.
func (l *lexer) escapeQuoted(b *strings.Builder, t *token) bool {
	t.bare = false
	for l.at += len("$'"); l.at < len(l.in); l.at++ {
		switch c := l.in[l.at]; c {
		case '\'':
			l.at++
			return true
		case '\\':
			if l.at++; l.at == len(l.in) {
				return false
			}
			t.literal = t.literal && strings.IndexByte(`'"\?`, l.in[l.at]) >= 0
			b.WriteByte(l.in[l.at])
		default:
			b.WriteByte(c)
		}
	}
	return false
}

// arithmetic skips ((...)), where > compares.
func (l *lexer) arithmetic() bool {
	start := l.at
	if strings.HasPrefix(l.rest(), "((") && l.nested('(', ')') && strings.HasSuffix(l.in[start:l.at], "))") {
		return true
	}
	l.at = start
	return false
}

// nested skips to the closing bracket, over quotes and further brackets.
func (l *lexer) nested(open, closing byte) bool {
	depth := 0
	for ; l.at < len(l.in); l.at++ {
		switch c := l.in[l.at]; c {
		case '\\':
			l.at++
		case '\'':
			end := strings.IndexByte(l.in[l.at+1:], '\'')
			if end < 0 {
				return false
			}
			l.at += end + 1
		case '"':
			var b strings.Builder
			if !l.doubleQuoted(&b, &token{}) {
				return false
			}
			l.at--
		case open:
			depth++
		case closing:
			depth--
			if depth == 0 {
				l.at++
				return true
			}
		}
	}
	return false
}
