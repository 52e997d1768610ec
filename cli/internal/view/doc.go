// Package view defines the JSON that the commands print, one closed schema per answer.
//
// A schema is a strictjson table over the values that core and protocol give, so that what is printed,
// what is validated and what docs/cli.md lists are one thing. Members are only ever added. Nothing here
// can hold a generation but the answer of acc attach, whose point it is.
//
// envelope.go wraps every answer, errors.go every failure, list.go names all schemas for the
// documentation; the other files follow the commands.
package view
