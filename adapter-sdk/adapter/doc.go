// Package adapter is the hook side of an AI coding client as acc sees it.
//
// A vendor implements Client (what did the client just say?) and those of the companion interfaces
// Injector, Denier and ProcessRecogniser that the client can really do, and seals them with New. The hook
// runner then asks the sealed Adapter: it filters the environment, checks and cuts down what the
// vendor's code returned, and knows the deadline of every event and the limit of the client's context.
//
// A transport that reaches a running session is a LiveClient, in a package of its own, sealed with its
// Contract by NewLive and joined with the adapter by Join: live.go and native.go.
//
// Nothing that a person or a model wrote passes through here: an Event has no member for a prompt, a
// transcript or the output of a tool. Start reading at event.go, then adapter.go.
package adapter
