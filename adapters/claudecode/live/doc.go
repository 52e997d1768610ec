// Package live wakes a running Claude Code session through its own inbox socket.
//
// The hooks of a session are told its socket (CLAUDE_CODE_MESSAGING_SOCKET). Bind verifies it against the
// client's registry, <config>/sessions/<pid>.json, and keeps a private endpoint record; Refresh and Offer
// verify again, and then the registry must also name the session, so that a wake reaches neither a reused
// process number nor another conversation. A wake is one line of fixed wording and a message id: no byte
// of a peer, no token, no claim about a permission mode. The socket never answers; that a hook runs is
// the only sign that a wake arrived.
//
// Observed with Claude Code 2.1.332 on Linux; clients from 2.1.282 on have the socket. Start reading at
// inbox.go; the suite against the real client is tools/realclient.
package live
