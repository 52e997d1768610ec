// Command accbuild assembles the executables of acc with other adapters than those of this repository.
// Nothing is loaded at run time, so whoever wants an adapter of another vendor, or wants one of ours left
// out, makes a build of his own:
//
//	go run ./tools/accbuild --with example.com/adapter-foo@v1.2.3 --without grok --output DIR
//
// --with takes a module at a version or a directory that holds one. Its packages hook and install, and
// live if it has one, must each have a function New, as in examples/adapter-echo. The executables come from
// the checkout that it runs in or, with --from v0.1.0 or outside of one, from published versions.
//
// It copies the module cli, writes its two lists of adapters anew (lists.go), serves the copy from a module
// proxy made of files (assembly.go), and builds each command from there, so that what is built is what go
// install would have built. The executables go to DIR/bin, and DIR/manifest.json declares them and names
// the adapters, as that of a release does, so that acc install takes the directory for one (manifest.go).
//
// Start reading at main.go.
package main
