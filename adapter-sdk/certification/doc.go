// Package certification says which abilities of a client are proved, and for which of its versions.
//
// An adapter declares abilities in code. A declared ability counts only with evidence: a row that names
// an exact version, a platform and what was seen. Evidence applies forward: what worked in one version
// is taken to work in later ones until a row says that it stopped. It never applies backward. A check
// that was skipped leaves no row, so it never backs an ability. Start reading at manifest.go, then
// judge.go.
package certification
