// Package mcpserver lets a client without an adapter take part by polling: what core can do, served as
// tools and resources of the Model Context Protocol over standard input and output.
//
// Nothing here guards or wakes anybody: a client that only polls is told when it asks, so its sessions are
// advisory and status says so. Arguments are decoded by strictjson tables, which are also the schemas that
// clients see, before anything else happens. Who speaks is decided in internal/caller, how a line is read in
// internal/lines, what an answer looks like and how peer text is made safe in internal/answer.
// Start at Main, then tools.go.
package mcpserver
