// Package localsocket writes to a socket file of the same user and verifies first who listens there.
//
// It is what transports are made of. It uses system calls instead of package net: linking net costs
// every start of a hook (1.4 ms with the C resolver that it brings on Linux by default, 0.1 ms and 0.7 MB
// without), for name lookups that no transport does.
package localsocket
