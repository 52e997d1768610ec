// Package command holds the commands of acc.
//
// definition.go says what a command is; catalogue.go lists them all; app.go runs one: it parses the
// command line, gives the command its invocation, prints the answer and maps an error to its exit code.
// Every other file is one command: a constructor of its definition, an options struct with the
// constructor that parses it, and its run method.
//
// A command never prints. It gives an Answer, which holds the facts for --json and the way to say them
// to a person. What it may do is decided by core; a command only translates.
package command
