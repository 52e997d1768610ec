// Package caller says who speaks in a call and keeps their sessions.
//
// Two things may say who that is: the environment that the server was started in, or, where a client
// serves several conversations from one server, what the client itself puts beside the arguments of each
// call. What a model writes never does. A participant keeps its session over restarts of the server by a
// slot file beside the store (slot.go), and no two servers ever share a generation: each takes a session
// over with a generation of its own, which the store grants only when the one before is dead.
// Start at Book.
package caller
