// Package tomledit changes one key of a TOML text that somebody else wrote and leaves every other byte
// as it was.
//
// It finds the place with the parser of go-toml, changes the bytes there, and reads the result again:
// an edit whose result is not exactly the old document with the new value is refused. Each edit answers
// with an Undo, which has to be kept to take the edit back to the byte. Nothing here touches a file.
// Start reading at edit.go.
package tomledit
