// Package search finds messages by their words.
//
// A Corpus is every message of a room in one flat block, with its words folded to lower case: to look
// through it is to scan memory, which takes a few milliseconds for tens of thousands of messages and
// needs no index that could disagree with the store. It is kept in a file as a cache that may be deleted
// at any time; the store stays the truth, and whoever shows a hit reads it from there.
//
// corpus.go holds the messages, file.go keeps them, query.go says what is looked for and ranks it.
package search
