package main

import (
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// Ways in which a client was driven.
const (
	printMode    = "print"    // one prompt, no terminal
	terminalMode = "terminal" // a person's session
	matrixMode   = "matrix"   // hooks that answer in one shape after the other
)

// state is what came of a check.
type state string

const (
	passed  state = "passed"
	failed  state = "failed"
	skipped state = "skipped"
)

// finding is what came of one check in one way of driving the client.
type finding struct {
	check    string // a capability, or one of the others below
	mode     string
	state    state
	saw      string // one sentence: what was seen, was not, or why nobody looked
	call     *hookCall
	received string // by the model; empty where it does not matter
	rows     []matrixRow

	idle, busy  string // of a capability
	limitations []string
}

// Checks that are no capability of their own: what acc must keep right while the client goes its ways.
const (
	subagents       = "session.subagents"  // they belong to their session
	afterCompaction = "session.compaction" // the same session; the owner header comes again, no body does
	afterClear      = "session.clear"      // another session; the old one has ended
	twoAtOnce       = "session.twoAtOnce"  // two terminals of one home
	denyMatrix      = "shapes.deny"
	contextMatrix   = "shapes.context"
)

var otherChecks = []string{subagents, afterCompaction, afterClear, twoAtOnce, denyMatrix, contextMatrix}

// allChecks lists the rows of the table.
func allChecks() []string {
	var all []string
	for _, c := range certification.Capabilities {
		all = append(all, string(c))
	}
	return append(all, otherChecks...)
}

// judged gives a finding its state.
func judged(f finding, good bool) finding {
	f.state = passed
	if !good {
		f.state = failed
	}
	return f
}

// notTried is a finding for a check that nothing was seen of.
func notTried(check, mode, why string) finding {
	return finding{check: check, mode: mode, state: skipped, saw: why}
}

// complete adds why the remaining checks were not tried.
func complete(found []finding, c client) []finding {
	for _, check := range allChecks() {
		if slices.ContainsFunc(found, func(f finding) bool { return f.check == check }) {
			continue
		}
		why := c.lacks[check]
		if why == "" {
			why = untried[check]
		}
		if why == "" {
			why = "the client gave no occasion for it"
		}
		found = append(found, notTried(check, "", why))
	}
	return found
}

// untried are the capabilities that this tool does not look at.
var untried = map[string]string{
	string(certification.GuardRead):  "acc refuses no reads",
	string(certification.LivePush):   "tools/realclient drives it where the client has a way",
	string(certification.ReplyRoute): "acc has no way of its own back to a sender's client",
}
