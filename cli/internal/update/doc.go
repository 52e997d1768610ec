// Package update brings a managed runtime to a later release: it asks an npm registry which release there is,
// downloads it, believes nothing of it that is not signed, tries it in a data home of its own, and hands it to
// package runtime. It is the only package of the product that uses the network, and acc-worker is the only
// executable that links it.
//
// Nothing of a release runs before its signature and every file were checked. Activation is left to the worker of
// the release that comes in, because only that knows what it writes into clients.
//
// Start reading at update.go. What a release looks like is in cli/release.
package update
