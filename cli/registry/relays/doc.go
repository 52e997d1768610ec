// Package relays assembles acc-antigravity-relay. It is apart from the registry of hooks because acc-hook
// must not link what starts processes; whoever assembles a build with other adapters leaves it out.
//
// The program has two halves. The agent starts the first in its own shell: it checks who asks, finds the
// client and its command, starts the second without a terminal, hands the credential over on its standard
// input, and ends when that one listens. Start reading at start.go; serve.go is the second half.
package relays
