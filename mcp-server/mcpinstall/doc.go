// Package mcpinstall registers acc-mcp as a server in the configuration of clients that speak the Model
// Context Protocol, and takes the registration out again.
//
// It knows the files of the clients named in Clients, each as its vendor's version wrote or read it, and
// edits one value of one file with installkit, to the byte. Every other client is served by Snippet, which
// a person pastes. The server itself does not link this package. Start at New.
package mcpinstall
