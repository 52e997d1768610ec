// Package router asks a running session of a recipient to look sooner, for a message that is already
// recorded, and records what came of it.
//
// For each recipient it decides in one fixed order (offer.go): what is settled stays settled; exactly one
// live session and one endpoint of it must be eligible; the recipient's policy must permit the kind; a
// lapsed lease is verified by the adapter; everything is read once more; then the adapter crosses its
// transport boundary once, and only after that the receipt moves. A wake moves no receipt. Whatever goes
// wrong, the message waits for the recipient's next turn, and who sent it has not failed.
//
// OfferNew serves whoever just recorded a message, OfferOwed and OfferDenied whoever tries again later.
// Start reading at router.go; ports.go says what the router needs of others.
package router
