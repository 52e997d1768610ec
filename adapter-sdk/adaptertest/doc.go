// Package adaptertest is the conformance kit of the hook side of adapters: one function that a vendor
// calls in a test of its own.
//
// A Kit holds the sealed adapter, payloads captured from the real client with what each means, and the
// answers that the real client was seen to obey. Run checks them, and then what no capture shows: that
// broken payloads are refused, that nothing a person or a model wrote survives, that the environment
// stays out, that a refusal always refuses, and that nothing to say is no byte.
//
// A Trial compares what a run of the real client showed with the evidence on file, or records it
// (evidence.go). Package installtest is the kit for installers, and Vault one for tests of transports. It is
// a module of its own so that its test libraries never reach a vendor's product. Start reading at kit.go.
package adaptertest
