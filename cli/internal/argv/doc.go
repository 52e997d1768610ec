// Package argv turns a command line as people and models write it into one canonical form, before the
// flag parser sees it.
//
// The flag parser alone cannot keep acc's promises: the global options may stand anywhere, a value may
// begin with "--" (a message body that is a diff), a single option is refused the second time and an
// empty value is an error rather than a default. All of that is decided here from the definitions of
// the commands in definition.go, which are the only description of what a command accepts: the flag
// parser, the help, the completion and docs/cli.md are made from the same tables.
//
// What a value means is not decided here. Start reading at Parse.
package argv
