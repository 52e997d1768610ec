// Package release says what a release of acc is, to those who make one and to those who install one: the
// manifest, its signature, the npm package that carries it, and the values that the linker stamps into the
// executables (package build, which hooks link and which imports nothing).
//
// Nothing here reaches a network or starts a process. Whoever downloads is internal/update, whoever builds is
// tools/release, whoever keeps what was verified is internal/runtime.
//
// Start reading at manifest.go.
package release
