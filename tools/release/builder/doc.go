// Package builder makes a release of acc from a work tree: for each platform the executables, an npm package
// and a plain archive; one npm package that asks for the right one of those; checksums, a bill of materials
// and signatures.
//
// The same sources, options and Go toolchain give the same bytes, wherever the work tree lies and whenever it
// is built. Signatures too: minisign's are deterministic.
//
// Start reading at build.go. What a package looks like to who installs it is in cli/release.
package builder
