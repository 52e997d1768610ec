// Package livefiles keeps what live delivery must remember beside a store: the private records of
// endpoints, which wake of a session is in flight, what participants exchanged without a person, and
// which messages the owner of the machine lets spend a turn.
//
// All of it is a hint or a choice, none of it truth: losing a file costs one wake too many, or switches
// live delivery off. What belongs to a room lies in the directory of its store, which a sandboxed tool of
// a client may write; endpoints and the choice lie outside of it. The interfaces that Ledger, Vault,
// Policies and Attempts satisfy are those of the delivery router and of the adapter SDK.
package livefiles
