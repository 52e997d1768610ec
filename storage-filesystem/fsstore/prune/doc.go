// Package prune removes what a room no longer needs, because somebody asks for it and never by itself:
// sessions that are gone, their intents, claims that have expired, participants that nothing names any more,
// and, up to a cursor, messages that are settled for everybody together with the events about them.
//
// Unread and unacknowledged messages never go. A plan is made on one snapshot and may be all that is asked
// for; applied, each record is judged once more under the lock, and one that has changed stays. Start
// reading at Run.
package prune
