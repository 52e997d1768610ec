// Package jsstore reads a store of the JavaScript acc, contract 6 or 7, and never changes it.
//
// It takes what outlives a session: participants, messages and receipts, as the records in state/ have them,
// without those that a deletion marker hides. Sessions, intents and claims are of processes that cannot speak for
// themselves here, so they stay behind. A transaction that the JavaScript acc had decided and not published yet
// is not seen: it publishes that itself when it is run once more. Start at Read.
package jsstore
