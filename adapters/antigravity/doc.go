// Package antigravity is where the adapter for Antigravity (command line and desktop) will be: its hooks, its plugin and the relay that reaches a running conversation.
//
// It is empty: acc cannot attach Antigravity sessions by themselves yet. When it lands, the subpackage hook
// reads payloads and writes responses (no network, no process), live asks a running session to look
// sooner, install writes and removes the client's files, and this package joins the three behind the
// interface of adapter-sdk/adapter. adapters/claudecode shows the shape.
package antigravity
