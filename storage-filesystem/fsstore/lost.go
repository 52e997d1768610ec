package fsstore

import (
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// A record whose state file is gone is not one that does not exist. The promise that the state is published says
// that every file is there; an index of the same snapshot says which records there are. Only a frame removes a
// record, and a frame takes it out of the indexes, too. So what an index lists and no file holds was lost by a hand
// or by the disk, and reading it as absent would let it be forgotten, or be made a second time.

// lostRecord is the fault of a record that must exist. A commit that has removed it meanwhile explains it.
type lostRecord struct {
	key   recordKey
	fault *protocol.Error
}

// Error implements error.
func (e *lostRecord) Error() string { return e.fault.Error() }

// Unwrap gives what callers see.
func (e *lostRecord) Unwrap() error { return e.fault }

func lost(key recordKey, why string) error {
	e := protocol.DataError(protocol.ReasonStoreCorrupt, fmt.Sprintf("%s is missing: %s", key.file(), why)).
		With("file", key.file()).With("offset", int64(0)).WithHint("acc doctor --repair")
	return &lostRecord{key, e}
}

// expects notes that an index of this snapshot lists records of a kind.
func (s *snapshot) expects(kind protocol.Kind, found []core.Entry) {
	if s.expected == nil {
		s.expected = map[recordKey]bool{}
	}
	for _, e := range found {
		s.expected[recordKey{kind, e.ID}] = true
	}
}

// mayBeAbsent says why the record of a missing state file cannot simply not exist, if that can be known at the price
// of one look at the directory.
func (s *snapshot) mayBeAbsent(key recordKey) error {
	if s.expected[key] {
		return lost(key, "an index lists the record")
	}
	if s.loads.gone || s.promisedNothing() {
		return nil
	}
	if s.hasRecords(key.kind) && !s.loads.holds(key.kind) { // what indexes say is mostly in memory already
		return lost(key, "so is every "+string(key.kind)+", and the indexes list some")
	}
	return nil
}

// holds says whether there is a directory for records of a kind.
func (c *loads) holds(kind protocol.Kind) bool {
	if !c.dirs[kind] {
		_, err := c.dir.Stat(stateDir + "/" + string(kind))
		c.dirs[kind] = !vfs.Missing(err)
	}
	return c.dirs[kind]
}

// promisedNothing says that every frame is laid over the state, so that no file need be there.
func (s *snapshot) promisedNothing() bool {
	first := s.overlay.entries
	return s.at.Generation == 0 || len(first) > 0 && first[0].place.Generation == 1
}

// kindIndex is an index that lists records of a kind by what their id is made from, or all of them.
func kindIndex(kind protocol.Kind) core.Index {
	switch kind {
	case protocol.KindMessage:
		return core.MessagesInOrder
	case protocol.KindReceipt:
		return core.ReceiptsByMessage
	case protocol.KindSession:
		return core.SessionsByParticipant
	case protocol.KindClaim:
		return core.LiveClaims
	case protocol.KindIntent:
		return core.OpenIntents
	}
	return core.Participants
}

// hasRecords says whether a record of a kind was ever published, as far as the indexes and the frames after them tell.
// Directories are never removed, so then theirs must be there.
func (s *snapshot) hasRecords(kind protocol.Kind) bool {
	ix, err := s.openIndexes()
	for isIndexFault(err) {
		if again, failed := s.loads.nextIndexes(s.journal); !again || failed != nil {
			return false
		}
		ix, err = s.openIndexes()
	}
	if err != nil {
		return false
	}
	published := s.at.Generation
	if unpublished := s.overlay.entries; len(unpublished) > 0 {
		published = unpublished[0].place.Generation - 1
	}
	if ix.manifest.Generation > published {
		return false // it may list what is only in those frames
	}
	if ix.manifest.roots[kindIndex(kind)] != "" {
		return true
	}
	for i := range ix.frames {
		if ix.frames[i].place.Generation > published {
			break
		}
		if slices.ContainsFunc(ix.frames[i].Puts, func(p put) bool { return p.Kind == string(kind) }) {
			return true
		}
	}
	return false
}

// neverThere makes sure, before a record is made that was not found, that it is not one that was lost: its second
// creation would contradict the journal for good. Ids of messages, sessions and claims are minted and cannot come
// again; the others are found in an index that stays short. An index that cannot answer says nothing.
func (t *tx) neverThere(key recordKey, r protocol.Record) error {
	q := core.Query{Index: kindIndex(key.kind)}
	switch r := r.(type) {
	case *protocol.Participant, *protocol.Intent:
	case *protocol.Receipt:
		if m := t.staged[recordKey{protocol.KindMessage, r.MessageID}]; m != nil && m.before.Record == nil {
			return nil // the message is new, so it has no receipts
		}
		q.Key = []string{r.MessageID}
	default:
		return nil
	}
	found, err := t.snapshot.find(q, nil)
	if err != nil {
		return nil
	}
	for _, e := range found {
		if e.ID == key.id {
			return lost(key, "an index lists the record")
		}
	}
	return nil
}
