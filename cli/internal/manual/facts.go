package manual

import (
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// ExitCode is what an exit code means.
type ExitCode struct {
	Code    protocol.Code
	Meaning string
}

// ExitCodes lists the exit codes of acc.
var ExitCodes = []ExitCode{
	{protocol.OK, "done"},
	{protocol.Usage, "the request itself is wrong"},
	{protocol.Timeout, "a deadline passed before anything was decided; nothing was recorded"},
	{protocol.Data, "data is malformed, missing, unknown or incompatible"},
	{protocol.Conflict, "somebody else holds it, or what the caller knows is out of date"},
	{protocol.Attention, "done, and something needs the caller's attention"},
}

// Variable is an environment variable.
type Variable struct{ Name, Meaning string }

// Variables lists the environment variables that acc reads.
var Variables = []Variable{
	{"ACC_DATA_HOME", "absolute directory under which acc keeps its data, instead of the platform's own place"},
	{"ACC_WORKSPACE_ROOT", "absolute directory to start from instead of the current one"},
	{"ACC_SESSION, ACC_GENERATION", "the owner pair, both or neither"},
	{"ACC_PARTICIPANT", "the name of a hooked session, instead of one made from its client"},
	{"NO_COLOR", "when set, no colour"},
}

func exitTable() string {
	var b strings.Builder
	b.WriteString("| code | meaning |\n|---|---|\n")
	for _, e := range ExitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", e.Code, e.Meaning)
	}
	return b.String()
}

func variableTable() string {
	var b strings.Builder
	b.WriteString("| variable | meaning |\n|---|---|\n")
	for _, v := range Variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(v.Name, ", ", "`, `"), v.Meaning)
	}
	return b.String()
}
