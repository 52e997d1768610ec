// Package install writes acc into Antigravity CLI: an entry of the global hooks file, a rule that lets a
// model run acc, and a plugin with the skill.
//
// The client could not be run here. This follows what others published of versions 1.1.18 to 1.2.7, so
// the package adds as little as possible, never a hook that can refuse a tool, and says what the client
// itself answers wherever it can be asked. Start reading at install.go.
package install
