// Package hook is Antigravity CLI as acc's hooks see it: payloads in, answers out.
//
// The client could not be run where this was written: it is in no package registry. The package follows
// what others published of versions 1.1.18 to 1.2.7, and its test payloads are made from those
// descriptions, not captured. It therefore does nothing that could refuse a tool by mistake: there is no
// guard, and tool events are answered with nothing. Start reading at antigravity.go.
package hook
