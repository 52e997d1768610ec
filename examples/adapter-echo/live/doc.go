// Package live hands messages to a running Echo session through its inbox socket.
//
// The client tells its hooks where the socket is (ECHO_INBOX). Bind verifies that it is a private socket
// of this user, that the client's own process listens and that it serves the session, and keeps a private
// record; Refresh and Offer verify the same again, because a session may have ended and another begun.
// Start reading at inbox.go.
package live
