// Package install writes acc into Grok: a hooks file of its own, which the client always trusts, and
// the skill. No file of the user is touched.
//
// Facts are those of Grok 1.0.41. Start reading at install.go.
package install
