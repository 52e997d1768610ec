// Package adaptertest will be the conformance kit of adapters: one function that a vendor calls in a test,
// which feeds an adapter the payloads that it recorded and checks that it keeps the contract of
// adapter-sdk/adapter.
//
// It is empty: the contract is checked by the adapters' own tests so far. It is a module of its own so that
// its test libraries never reach a vendor's product.
package adaptertest
