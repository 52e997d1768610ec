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
// # The contract
//
// Lifecycle: an adapter lives as long as one process, which for a hook is milliseconds. New is called once in
// each and should do nothing that a hook would pay for; nothing is started, stopped or closed. What must
// outlive the process is kept in the Vault, and only by a LiveClient.
//
// Concurrency: methods may be called at the same time, in one process and in many. Implementations hold no
// state, so a value type without members is the usual one.
//
// Deadlines and contexts: the methods of a Client only compute and take no context; the event's deadline
// (Adapter.Deadline) bounds the whole call, and code that does not come back is left behind. A context is
// always a deadline and never carries values: that of LiveClient has at most BindTime or the contract's
// OfferTime left, that of an Installer is the command's. Whatever waits must give up when it is done.
//
// Calling twice: everything may be called twice, with the same result. A hook may be killed anywhere and its
// call repeated by the client; an Offer may repeat after a crash, because an underclaim is preferred to a
// claim too much; Retire of what is gone is no error.
//
// Failing: an error, a panic, or an answer outside of the closed vocabularies is no answer. The client goes
// on, and nothing is recorded as done.
//
// Growing: Client, Injector, Denier, ProcessRecogniser and LiveClient get no methods. A new ability is a new
// companion interface, a new fact a new Option; the sealed Adapter and Live may get methods at any time.
//
// Nothing that a person or a model wrote passes through here: an Event has no member for a prompt, a
// transcript or the output of a tool. Start reading at event.go, then adapter.go.
package adapter
