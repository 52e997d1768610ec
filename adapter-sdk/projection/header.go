package projection

import (
	"strings"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/protocol"
)

// Owner is the credential that a model appends to its acc commands. It is the only place where a
// generation is ever written down for somebody to read: the context of the session that owns it.
type Owner struct {
	SessionID  string
	Generation string
	Cwd        string // where the room of this session was found
	Room       string // acc:// reference of that room
}

// header is the line a model copies from. Its form is a contract with the installed skill texts.
func (o Owner) header(goos string) (string, error) {
	cwd, err := Quote(goos, o.Cwd)
	if err != nil {
		return "", err
	}
	room, err := Quote(goos, o.Room)
	if err != nil {
		return "", err
	}
	return "ACC CLI (append): --session " + o.SessionID + " --generation " + o.Generation +
		" --cwd " + cwd + " --workspace " + room, nil
}

// Quote writes s as one word of a shell command of the platform goos: in single quotes for a POSIX
// shell; on Windows in double quotes, or in single quotes when s holds a character that double quotes
// do not protect. A text that no quotation can carry on one line is refused with
// ReasonWorkspaceUnquotable.
func Quote(goos, s string) (string, error) {
	for _, r := range s {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return "", unquotable()
		}
	}
	if !utf8.ValidString(s) {
		return "", unquotable()
	}
	if goos != "windows" {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", nil
	}
	if !strings.ContainsAny(s, "\"$`%") {
		return `"` + s + `"`, nil
	}
	if strings.Contains(s, "'") {
		return "", unquotable()
	}
	return "'" + s + "'", nil
}

func unquotable() error {
	return protocol.UsageError(protocol.ReasonWorkspaceUnquotable,
		"the directory's name cannot be written into a command line").
		WithHint("start the client in a directory whose name has no control characters or mixed quotes")
}
