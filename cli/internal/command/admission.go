package command

import (
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/protocol"
)

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

// examiners are the commands that tell what is wrong with an installation.
var examiners = map[string]bool{"doctor": true, "support-bundle": true}

// standing gives the one of a call.
func standing(call argv.Call) Standing {
	if call.Command == nil || call.Help || call.Version {
		return Visitor
	}
	return standings[call.Path[0]]
}

// admitted lets the process into its installation, before anything of a room is looked at. Where the installation
// itself is damaged, those come in that everybody else is sent to.
func (inv *Invocation) admitted(call argv.Call) error {
	s := standing(call)
	if inv.Admit == nil || s == Visitor {
		return nil
	}
	err := inv.Admit(s)
	if examiners[call.Path[0]] && protocol.ReasonOf(err) == launch.ReasonRuntimeDamaged {
		return nil
	}
	return err
}
