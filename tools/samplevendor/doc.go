// Package samplevendor does what a vendor outside this repository does with a release: it builds and tests
// examples/adapter-echo against the modules as a module proxy would serve them, installs a command at a
// version, assembles acc with the adapter, and lets two sessions of the adapter's client meet.
//
// The modules come from the work tree, packed by fileproxy; no workspace and no replace is involved. It
// takes a minute, so it runs only when it is asked for:
//
//	go test ./tools/samplevendor -vendor
//
// Start reading at vendor_test.go.
package samplevendor
