// Package geminicli is where the adapter for Gemini CLI will be: its hooks and its settings.json; no way to reach a running session is known.
//
// It is empty: acc cannot attach Gemini CLI sessions by themselves yet. When it lands, the subpackage hook
// reads payloads and writes responses (no network, no process), live asks a running session to look
// sooner, install writes and removes the client's files, and this package joins the three behind the
// interface of adapter-sdk/adapter. adapters/claudecode shows the shape.
package geminicli
