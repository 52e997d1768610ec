// Package grok is where the adapter for the Grok CLI will be: its hooks, whose output before a prompt the client discards.
//
// It is empty: acc cannot attach Grok sessions by themselves yet. When it lands, the subpackage hook
// reads payloads and writes responses (no network, no process), live asks a running session to look
// sooner, install writes and removes the client's files, and this package joins the three behind the
// interface of adapter-sdk/adapter. adapters/claudecode shows the shape.
package grok
