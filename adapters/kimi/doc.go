// Package kimi is where the adapter for Kimi Code will be: its hooks, its heartbeat and its config.toml.
//
// It is empty: acc cannot attach Kimi Code sessions by themselves yet. When it lands, the subpackage hook
// reads payloads and writes responses (no network, no process), live asks a running session to look
// sooner, install writes and removes the client's files, and this package joins the three behind the
// interface of adapter-sdk/adapter. adapters/claudecode shows the shape.
package kimi
