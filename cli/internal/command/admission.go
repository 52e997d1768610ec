package command

import "github.com/acc-control-plane/acc/cli/internal/argv"

// Standing is what a command is to the installation that it runs from.
type Standing int

// The standings.
const (
	Resident Standing = iota // uses rooms: it runs from the active generation, and keeps that
	Manager                  // changes or examines the installation, and must work also while that is being updated
	Visitor                  // touches neither
)

// standings are those of the commands that are no residents.
var standings = map[string]Standing{
	"install": Manager, "uninstall": Manager, "update": Manager, "doctor": Manager,
	"help": Visitor, "man": Visitor, "version": Visitor, "completion": Visitor, "demo": Visitor,
}

// standing gives the one of a call.
func standing(call argv.Call) Standing {
	if call.Command == nil || call.Help || call.Version {
		return Visitor
	}
	return standings[call.Path[0]]
}

// admitted lets the process into its installation, before anything of a room is looked at.
func (inv *Invocation) admitted(call argv.Call) error {
	if s := standing(call); inv.Admit != nil && s != Visitor {
		return inv.Admit(s)
	}
	return nil
}
