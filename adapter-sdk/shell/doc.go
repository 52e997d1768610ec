// Package shell recognises which files a shell command line is about to write, as far as its text says.
//
// It is a recogniser, not an interpreter: a guard that asks it can catch the redirection, the sed -i or
// the rm that a model writes in passing, and promises nothing about scripts, variables or programs it
// does not know. A word whose value only the shell could tell names no file, and a command line that
// cannot be read names none at all. Reading is never reported. Start reading at targets.go.
package shell
