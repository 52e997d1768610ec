package core

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Store is the durable source of truth as core sees it. Implementations: storage-filesystem/fsstore
// (real) and coretest.Memory (the model). coretest.TestStore is the contract as executable cases.
//
// Every error is a *protocol.Error. A Store is safe for concurrent use by goroutines and, the real
// one, by processes.
type Store interface {
	// View runs fn on one consistent snapshot and takes no lock. fn may run more than once, with a
	// fresh Reader each time, so it must only assign its results, never accumulate them. It must not
	// keep the Reader. A store that holds nothing yet answers with an empty snapshot.
	View(ctx context.Context, fn func(Reader) error) error

	// Update runs fn under the writer lock on the latest committed state and commits what it
	// declared, all or nothing, with one durable flush. fn runs once. An error from fn commits
	// nothing and is returned as it is. A fn that puts, removes and appends nothing commits nothing.
	// The deadline of ctx bounds everything before the decision point, never what follows it.
	//
	// Errors of the commit itself carry ReasonNotCommitted, ReasonCommittedNotVisible (the
	// returned Commit is valid), or ReasonCommitUnknown.
	Update(ctx context.Context, fn func(Tx) error) (Commit, error)

	// Ephemeral gives the area for presence and bindings: direct publication, no lock, no event.
	Ephemeral() Ephemeral
}

// Commit says where a transaction landed in the order of commits.
type Commit struct {
	Generation   uint64 // of the frame; 0: nothing was committed
	LastSequence uint64 // of its last event, or of the last event before it if it had none
}

// Stored is a record with its place in the order of commits.
type Stored struct {
	Record     protocol.Record // shared: copy before changing
	Created    uint64          // generation of the commit in which this id first appeared
	Generation uint64          // generation of the commit that last wrote it
}

// Reader is a consistent snapshot.
type Reader interface {
	// Get gives one record; found is false if it does not exist.
	Get(kind protocol.Kind, id string) (stored Stored, found bool, err error)
	// Find lists entries of an index in the order of Entry.Position, then ID.
	Find(q Query) ([]Entry, error)
	// Events gives up to limit events with a sequence greater than after, oldest first.
	Events(after uint64, limit int) ([]protocol.Event, error)
	// Position gives the commit that this snapshot shows.
	Position() Commit
	// TrimmedThrough gives the highest sequence whose event may no longer be readable; 0: none.
	TrimmedThrough() uint64
}

// Tx is the Reader of a transaction and what it may change. A record can be put or removed only after
// Get looked at it in the same transaction, so that nothing is overwritten unseen.
type Tx interface {
	Reader
	// Put writes a record (insert or replace). It is validated now; Get and Find see it at once.
	Put(r protocol.Record) error
	// Remove deletes a record.
	Remove(kind protocol.Kind, id string) error
	// Append adds an event; the store numbers it and sets its workspace.
	Append(e Draft)
	// KeepSolo asks the store to keep the records of this transaction (sessions, participants and
	// intents, as they stand at its end) in the solo area instead of the journal: written under the
	// same lock and replaced as a whole, but not flushed and without an event, a generation or a
	// commit. Get and Find answer from the solo area, with Created and Generation 0, while Position
	// is generation 0. The first journalled commit ends it for good: the store then forgets the
	// solo records, so whoever materialises the room first puts again those that it means to keep.
	// It is an error once anything was committed, and together with Append.
	KeepSolo() error
}

// Draft is an event before it has a number.
type Draft struct {
	EventID        string
	ActorSessionID string
	OccurredAt     time.Time
	Payload        protocol.EventPayload
}

// Query asks for the entries of one index under one key.
type Query struct {
	Index   Index
	Key     []string // exactly the key of the index, see index.go
	After   *Entry   // exclusive start in the direction of travel; nil: from the end that comes first
	Reverse bool     // newest first
	Limit   int      // at most this many; 0: all
}

// Entry is one hit of an index.
type Entry struct {
	Position uint64 // generation of the commit that created the indexed record
	ID       string // id of the indexed record, in the kind that the index is about
}

// Ephemeral is published directly, last writer wins, and may be lost. Keys are session and
// generation, so that an older generation never speaks for a newer one.
type Ephemeral interface {
	PutBeat(ctx context.Context, b protocol.PresenceBeat) error
	// Beat gives the beat of one session generation.
	Beat(ctx context.Context, sessionID, generationRef string) (b protocol.PresenceBeat, found bool, err error)
	RemoveBeat(ctx context.Context, sessionID, generationRef string) error

	PutBinding(ctx context.Context, b protocol.DeliveryBinding) error
	// Bindings gives every binding of one session generation, one per adapter.
	Bindings(ctx context.Context, sessionID, generationRef string) ([]protocol.DeliveryBinding, error)
	RemoveBinding(ctx context.Context, sessionID, generationRef, adapterID string) error
}

// Clock tells the time. Core truncates to milliseconds.
type Clock interface{ Now() time.Time }

// IDs mints identifiers and credentials.
type IDs interface {
	// NewID gives `<prefix>_<ULID>`.
	NewID(prefix string) string
	// NewGeneration gives 128 random bits as 22 characters of base64url.
	NewGeneration() string
}

// ProcessState is what is known of a process now.
type ProcessState int

// The process states. Unknown covers another pid namespace, missing permission and any error: it is
// never treated as dead.
const (
	ProcessUnknown ProcessState = iota
	ProcessAlive
	ProcessDead
)

// ProcessProbe looks at the process table without starting a process.
type ProcessProbe interface {
	// Probe says whether pid is the process that wrote a record at or after notBefore: a process
	// that started later than that is another one with a reused number, so the first is dead.
	Probe(pid int, notBefore time.Time) ProcessState
}
