// Package registry names the adapters whose hooks this build runs. Only this folder and the builder
// know which adapters exist; whoever assembles a build with other adapters replaces hooks.go.
//
// acc-hook links this package, so it imports adapters' hook and live packages and nothing else of them.
package registry
