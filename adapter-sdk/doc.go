// Package adaptersdk is the root of the module that a vendor of an adapter builds against.
//
// Packages: adapter (what a client's hook side is), hookkit (reading payloads, building answers), shell
// (which files a command line writes), projection (what peers' words look like in a model's context),
// localsocket (writing to a verified socket of the same user), installkit (editing a user's files and
// taking it back byte for byte), skill (what a model is told of acc). The conformance kit for an adapter's own tests is the module adapter-sdk/adaptertest. Nothing
// here knows the store or the rules; start reading at adapter.
package adaptersdk
