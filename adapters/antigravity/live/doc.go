// Package live wakes a running Antigravity CLI conversation through a relay that its own agent started.
//
// Only the agent's shell has what the client's command `agy agentapi send-message` needs; hooks do not. So
// the agent may start acc-antigravity-relay there, once. The relay keeps the credential in its memory,
// listens on a private socket, and leaves a private record under the generation of the session. Bind finds
// that record, so that only hooks of that very session lead to the relay; Refresh and Offer verify it
// again. A wake is fixed wording and a message id, handed to the client's command: no byte of a peer is in
// the arguments of a process or under the name of the system.
//
// The client could not be run where this was written. Everything rests on published descriptions of
// version 1.2.7, so the whole transport is experimental. Start reading at live.go; package relay is the
// other side.
package live
