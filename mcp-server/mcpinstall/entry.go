package mcpinstall

import (
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
)

// participantVariable is the variable that a registration sets, in the server's own words. The data home
// needs none: an installed server knows its own.
const participantVariable = "ACC_MCP_PARTICIPANT"

// entry is how a client starts the server.
type entry struct {
	typed   bool
	command string
	env     []variable // in the order in which they are written
}

type variable struct{ name, value string }

// entryOf is the entry of one client. The participant is named after the client, so that two clients of
// one room are two participants; a client that says who calls needs no name.
func entryOf(m adapter.Machine, c client) entry {
	e := entry{typed: c.typed, command: installkit.MCPPath(m)}
	if !c.perCall {
		e.env = append(e.env, variable{participantVariable, participantOf(c.id)})
	}
	return e
}

// participantOf differs from what the hooks of the same client are called.
func participantOf(clientID string) string {
	if clientID == "" {
		return "mcp"
	}
	return strings.ReplaceAll(clientID, "_", "-") + "-mcp"
}

// json is the entry in clients that write JSON.
func (e entry) json() string {
	var b strings.Builder
	b.WriteString("{")
	if e.typed {
		b.WriteString(`"type":"stdio",`)
	}
	b.WriteString(`"command":` + installkit.Quote(e.command) + `,"args":[]`)
	e.variables(&b, `,"env":{`, `:`, "}")
	return b.String() + "}"
}

// toml is the entry in clients that write TOML, as an inline table.
func (e entry) toml() string {
	var b strings.Builder
	b.WriteString("{ command = " + installkit.Quote(e.command) + ", args = []")
	e.variables(&b, ", env = { ", " = ", " }")
	return b.String() + " }"
}

func (e entry) variables(b *strings.Builder, open, equals, end string) {
	for i, v := range e.env {
		if i == 0 {
			b.WriteString(open)
		} else {
			b.WriteString(", ")
		}
		name := v.name
		if equals == ":" {
			name = installkit.Quote(name)
		}
		b.WriteString(name + equals + installkit.Quote(v.value))
	}
	if len(e.env) > 0 {
		b.WriteString(end)
	}
}

// Snippet is the registration in the form that most clients read, for who pastes it into one that New does
// not know: an object with the member mcpServers, indented, with a line end at the end.
func Snippet(m adapter.Machine) ([]byte, error) {
	return installkit.Indent(`{"mcpServers":{"` + serverName + `":` + entryOf(m, client{}).json() + `}}`)
}
