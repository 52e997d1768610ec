// Package install writes acc into Gemini CLI as an extension: a directory of its own with hooks and the
// skill. No file of the user is touched.
//
// Gemini CLI 0.61.0 loads a directory that lies below its extensions as if its own command had installed
// it. Start reading at install.go.
package install
