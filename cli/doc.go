// Package cli is the root of the module that assembles every executable of acc.
//
// cmd holds the mains, registry the one list of adapters, and internal what only the commands need.
// Start reading at internal/command.
package cli
