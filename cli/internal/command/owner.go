package command

import (
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

// Environment variables that stand for --session and --generation, both or neither.
const (
	envSession    = "ACC_SESSION"
	envGeneration = "ACC_GENERATION"
)

// ownerHint tells where a session finds its own pair.
const ownerHint = "give --session and --generation from your hook header, or attach first: acc attach --participant NAME"

// mismatchHint tells how a right pair comes to be in the wrong room.
const mismatchHint = "take the whole line of your newest hook header, with its --cwd and --workspace; acc status shows the room of this directory"

// owner gives the session that the caller says it is. It is never inferred from a checkout, a process
// or the variables of a client: nested clients inherit those.
func owner(inv *Invocation, given *flags.Context) (core.Owner, error) {
	who, found, err := optionalOwner(inv, given)
	if err == nil && !found {
		err = unresolved("no session was named")
	}
	return who, err
}

// optionalOwner is owner for commands that also serve those who name no session. Half a pair is an
// error: answering somebody who meant to be personal with the public view would mislead.
func optionalOwner(inv *Invocation, given *flags.Context) (who core.Owner, found bool, err error) {
	who = core.Owner{SessionID: given.String("session"), Generation: given.String("generation")}
	session, generation := "--session", "--generation"
	if who == (core.Owner{}) {
		who = core.Owner{SessionID: inv.Env(envSession), Generation: inv.Env(envGeneration)}
		session, generation = envSession, envGeneration
	}
	switch {
	case who == core.Owner{}:
		return core.Owner{}, false, nil
	case who.Generation == "":
		return core.Owner{}, false, unresolved(session + " without " + generation + " names no caller")
	case who.SessionID == "":
		return core.Owner{}, false, unresolved(generation + " without " + session + " names no caller")
	}
	return who, true, nil
}

func unresolved(message string) error {
	return protocol.UsageError(protocol.ReasonCallerUnresolved, message).WithHint(ownerHint)
}
