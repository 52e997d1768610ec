// Package router will decide, for each recipient of a message that is already recorded, whether a live
// session can be asked to look sooner, and record what came of it: policy first, then one session and one
// generation, then the offer, and only after the offer the receipt.
//
// It is empty: nothing is offered live yet, every message waits for the recipient's next turn, and the
// receipt says so. It will meet adapters through adapter-sdk and the store through core.
package router
