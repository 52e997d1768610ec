// Package jsonedit changes one value of a JSON or JSONC text that somebody else wrote and leaves every
// other byte as it was: comments, indentation, the style of line ends, a byte order mark, a missing
// final newline.
//
// Each edit answers with an Undo, which is what it found and has to be kept to take the edit back to
// the byte. A text that is malformed, has a name twice in one object, or uses what its dialect does
// not have is refused. Nothing here touches a file. Start reading at edit.go.
package jsonedit
