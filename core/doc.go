// Package core holds the rules of acc: sessions with generations and presence, intent, claims,
// conversations, receipts, decisions, attention, sync and status.
//
// It is pure: time, randomness, the process table and the store enter through the ports in ports.go, and
// nothing here knows a vendor, a version control system, a file or a network. Every operation either
// reads one snapshot (a room) or runs in one transaction (a change); see core.go and room.go. The closed
// list of indexes in index.go is how an operation costs the same however long the history is. Pure rules
// that need no port live in subpackages: resource (names and overlap), presence (who is there), decision
// (what links between decisions come to). coretest is the contract of a store as executable cases.
// Start reading at ports.go, then session.go; there is one file per noun.
package core
