// Package install writes acc into Codex's configuration: hook groups behind the user's own, one
// directory that the sandbox may write to, rules that let a model run acc's participant commands, and
// the skill.
//
// Codex runs a hook only after the user trusted exactly its text, and it remembers trust by position.
// So the command never changes, groups are appended and stay where they are, and trust is read, never
// written. Facts are those of Codex 0.171.0. Start reading at install.go; wants.go holds the files,
// trust.go what the client says of them.
package install
