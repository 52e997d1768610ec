// Package registry names the adapters whose hooks this build runs. Only this folder and the builder
// know which adapters exist; tools/accbuild makes a build with others by writing adapters.go here and in
// package clients.
//
// acc-hook links this package, so it imports adapters' hook and live packages and nothing else of them.
package registry
