// Package relay is the process that an agent of Antigravity CLI starts in its own shell so that others may
// wake its conversation.
//
// A Relay listens on a private socket, answers hooks and senders that know its nonce (package wire), and
// hands a wake to the client's own command, `agy agentapi send-message`. It keeps the client's credential in
// memory only, serves one conversation of one session, and ends with the client, with the session, when
// another relay took its place, or after a day. It never reads a message. Start reading at relay.go;
// whoever assembles the program says what a client and a session are (cli/registry/relays).
package relay
