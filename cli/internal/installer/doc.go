// Package installer carries an installation through all clients of a machine: it looks for them, plans,
// applies plan after plan so that one client that fails leaves the others alone, and takes everything
// out again. What is written into a client is the business of its adapter.
//
// machine.go describes the computer to the adapters, run.go starts their clients' own commands, lock.go
// keeps two installations of one data home apart; start reading at installer.go.
package installer
