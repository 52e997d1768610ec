package coretest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

type recordKey struct {
	kind protocol.Kind
	id   string
}

// snapshot is one state of a Memory; it implements core.Reader.
type snapshot struct {
	generation uint64
	last       uint64 // sequence of the newest event
	trimmed    uint64
	records    map[recordKey]core.Stored
	index      map[string][]core.Entry // sorted by position, then id; slices are replaced, never changed
	events     []protocol.Event
}

func newSnapshot() *snapshot {
	return &snapshot{records: map[recordKey]core.Stored{}, index: map[string][]core.Entry{}}
}

func (s *snapshot) clone() *snapshot {
	c := *s
	c.records, c.index = maps.Clone(s.records), maps.Clone(s.index)
	return &c
}

// Get implements core.Reader.
func (s *snapshot) Get(kind protocol.Kind, id string) (core.Stored, bool, error) {
	stored, found := s.records[recordKey{kind, id}]
	return stored, found, nil
}

// Find implements core.Reader.
func (s *snapshot) Find(q core.Query) ([]core.Entry, error) {
	entries := s.index[indexKey(q.Index, q.Key)]
	if q.After != nil {
		i, exact := slices.BinarySearchFunc(entries, *q.After, compareEntries)
		switch {
		case q.Reverse:
			entries = entries[:i]
		case exact:
			entries = entries[i+1:]
		default:
			entries = entries[i:]
		}
	}
	entries = slices.Clone(entries)
	if q.Reverse {
		slices.Reverse(entries)
	}
	if q.Limit > 0 && len(entries) > q.Limit {
		entries = entries[:q.Limit]
	}
	return entries, nil
}

// Events implements core.Reader.
func (s *snapshot) Events(after uint64, limit int) ([]protocol.Event, error) {
	after = max(after, s.trimmed)
	first, _ := slices.BinarySearchFunc(s.events, after+1, func(e protocol.Event, sequence uint64) int {
		return cmp.Compare(e.Sequence, sequence)
	})
	rest := s.events[first:]
	return slices.Clone(rest[:min(limit, len(rest))]), nil
}

// Position implements core.Reader.
func (s *snapshot) Position() core.Commit {
	return core.Commit{Generation: s.generation, LastSequence: s.last}
}

// TrimmedThrough implements core.Reader.
func (s *snapshot) TrimmedThrough() uint64 { return s.trimmed }

// add and drop change a snapshot that nobody else sees yet.
func (s *snapshot) add(key recordKey, stored core.Stored) {
	s.records[key] = stored
	entry := core.Entry{Position: stored.Created, ID: key.id}
	for _, k := range core.Keys(stored.Record) {
		name := indexKey(k.Index, k.Key)
		if i, listed := slices.BinarySearchFunc(s.index[name], entry, compareEntries); !listed {
			s.index[name] = slices.Insert(slices.Clone(s.index[name]), i, entry)
		}
	}
}

func (s *snapshot) drop(key recordKey, stored core.Stored) {
	delete(s.records, key)
	entry := core.Entry{Position: stored.Created, ID: key.id}
	for _, k := range core.Keys(stored.Record) {
		name := indexKey(k.Index, k.Key)
		if i, listed := slices.BinarySearchFunc(s.index[name], entry, compareEntries); listed {
			s.index[name] = slices.Delete(slices.Clone(s.index[name]), i, i+1)
		}
	}
}

func compareEntries(a, b core.Entry) int {
	return cmp.Or(cmp.Compare(a.Position, b.Position), strings.Compare(a.ID, b.ID))
}

// indexKey joins an index and its key so that no two pairs collide.
func indexKey(index core.Index, key []string) string {
	var b strings.Builder
	b.WriteString(string(index))
	for _, part := range key {
		b.WriteString(strconv.Quote(part))
	}
	return b.String()
}
