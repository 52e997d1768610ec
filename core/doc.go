// Package core holds the rules of acc: sessions with generations and presence, claims, conversations,
// receipts, the inbox and status.
//
// It is pure: time, randomness, the process table and the store enter through the ports in ports.go,
// and nothing here knows a vendor, a version control system, a file or a network. Pure rules that need no port live in the
// subpackages (resource: names and overlap; presence: who is there). Start reading at core.go.
package core
