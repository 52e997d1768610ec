// Package hookrunner is the bounded entry point of every client's hooks: one process per hook call,
// started by the client, gone within the deadline of its event.
//
// A hook never stands in a client's way. Whatever goes wrong, the process exits 0 with empty standard
// output and one fixed line on standard error; only the client's own shape for refusing a tool looks
// different. The order of a call is: read the payload, let the adapter say what it means, be let into
// the installation that the executable runs from, find the saved room, find or make the owner binding, ask core, write the answer, and only after it was
// written record what was offered.
//
// Start reading at runner.go; call.go holds the order, session.go the owner binding, turn.go what a
// model is told, guard.go what is refused.
package hookrunner
