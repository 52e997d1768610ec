// Package install writes acc into Claude Code's configuration as a plugin of a marketplace that is a
// local directory, in the layout that the client's own "claude plugin install" leaves behind, and takes
// it out again.
//
// The layout was compared with what Claude Code 2.1.332 writes. Start reading at install.go; wants.go
// holds the files.
package install
