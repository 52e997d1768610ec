package installkit

import (
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Executable is the absolute path of one of acc's commands. On Windows it is written with slashes, which every
// shell and the system itself take.
func Executable(m adapter.Machine, name string) string {
	if m.GOOS == "windows" {
		return strings.ReplaceAll(m.Bin, `\`, `/`) + "/" + name + ".exe"
	}
	return filepath.Join(m.Bin, name)
}

// HookPath is the absolute path of the hook executable.
func HookPath(m adapter.Machine) string { return Executable(m, "acc-hook") }

// CLIPath is the absolute path of the acc command.
func CLIPath(m adapter.Machine) string { return Executable(m, "acc") }

// MCPPath is the absolute path of the MCP server.
func MCPPath(m adapter.Machine) string { return Executable(m, "acc-mcp") }

// Mark is what every command text of this data home has in common.
func Mark(m adapter.Machine) (string, error) {
	quoted, err := Quoted(m, CLIPath(m))
	return strings.TrimSuffix(strings.TrimRight(quoted, `"'`), ".exe"), err
}

// HookCommand is the command line that a client runs for its hooks. It is the same for every version
// of acc, so that what a client trusts stays trusted. event is named only for clients whose payload
// does not say it.
func HookCommand(m adapter.Machine, id, event string) (string, error) {
	path, err := Quoted(m, HookPath(m))
	if err != nil {
		return "", err
	}
	line := path + " " + id
	if event != "" {
		line += " " + event
	}
	return line, nil
}

// IndicatorCommand is the command line that a client runs for its status line, with its JSON on standard input.
func IndicatorCommand(m adapter.Machine, id string) (string, error) {
	path, err := Quoted(m, Executable(m, "acc-indicator"))
	return path + " --adapter " + id, err
}

// CLICommand is how a model writes the acc command in its shell.
func CLICommand(m adapter.Machine) (string, error) { return Quoted(m, CLIPath(m)) }

// Quoted writes a path as one word of a shell command line. It refuses a path that no shell of the
// platform takes as it is.
func Quoted(m adapter.Machine, path string) (string, error) {
	if m.GOOS == "windows" {
		path = strings.ReplaceAll(path, `\`, `/`)
		if strings.ContainsAny(path, "\"$`%'\r\n") {
			return "", protocol.DataError(protocol.ReasonWorkspaceUnquotable, "the path "+path+" cannot be written into a command line")
		}
		if strings.Trim(path, plainBytes) == "" {
			return path, nil
		}
		return `"` + path + `"`, nil
	}
	if strings.ContainsAny(path, "\r\n\x00") {
		return "", protocol.DataError(protocol.ReasonWorkspaceUnquotable, "the path "+path+" cannot be written into a command line")
	}
	if strings.Trim(path, plainBytes) == "" {
		return path, nil
	}
	return `'` + strings.ReplaceAll(path, `'`, `'\''`) + `'`, nil
}

// plainBytes need no quotes in any shell.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,"

// Quote writes s as a JSON string, which is also a TOML string. Bytes that are no UTF-8 are replaced.
func Quote(s string) string {
	out, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil { // there is nothing left to refuse
		return `""`
	}
	return string(out)
}

// Indent lays JSON out as clients write their files: two spaces, and a line end at the end.
func Indent(json string) ([]byte, error) { return strictjson.AppendIndent(nil, []byte(json)) }
