// Package lines carries JSON-RPC as one message a line, strictly and without ever giving up.
//
// The transport of the MCP library ends the connection at the first line that it cannot read, takes
// duplicate members and reads without a limit worth the name. This one answers such a line with an error
// and reads on: too long, not JSON, a batch, an id that no answer could carry. Only the end of the input
// ends it. Nothing but messages is written. Start at Transport; envelope.go judges a line.
package lines
