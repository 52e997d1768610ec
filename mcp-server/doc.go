// Package mcpserver will let a client without an adapter take part by polling: the same operations as the
// acc command, served as tools of the Model Context Protocol over standard input and output.
//
// It is empty: there is no MCP server yet. The identity of a caller will come from the environment that
// started the server, never from what a model says.
package mcpserver
