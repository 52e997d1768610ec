package coretest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// ledger is what a store should hold, kept by hand and searched by walking it.
type ledger map[recordKey]core.Stored

func (l ledger) put(generation uint64, records ...protocol.Record) {
	for _, r := range records {
		key := recordKey{r.Kind(), r.Key()}
		created := generation
		if before, found := l[key]; found {
			created = before.Created
		}
		l[key] = core.Stored{Record: r, Created: created, Generation: generation}
	}
}

// find answers a query by looking at every record.
func (l ledger) find(q core.Query) []core.Entry {
	var entries []core.Entry
	for key, stored := range l {
		for _, k := range core.Keys(stored.Record) {
			if k.Index == q.Index && slices.Equal(k.Key, q.Key) {
				entries = append(entries, core.Entry{Position: stored.Created, ID: key.id})
			}
		}
	}
	order := func(a, b core.Entry) int {
		if a.Position != b.Position {
			if a.Position < b.Position {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	}
	slices.SortFunc(entries, order)
	if q.Reverse {
		slices.Reverse(entries)
	}
	if q.After != nil {
		entries = slices.DeleteFunc(entries, func(e core.Entry) bool {
			c := order(e, *q.After)
			return c == 0 || (c < 0) != q.Reverse
		})
	}
	if q.Limit > 0 && len(entries) > q.Limit {
		entries = entries[:q.Limit]
	}
	return entries
}

// keys gives every index key that the ledger lists something under.
func (l ledger) keys() []core.IndexKey {
	var keys []core.IndexKey
	for _, stored := range l {
		for _, k := range core.Keys(stored.Record) {
			if !slices.ContainsFunc(keys, func(o core.IndexKey) bool { return o.Index == k.Index && slices.Equal(o.Key, k.Key) }) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// everyIndex fills every index over several commits, moves and removes records, and compares each
// possible query with a walk over the ledger after every stage.
func everyIndex(t *testing.T, s *storeTest) {
	book := ledger{}
	seen := []core.IndexKey{}
	check := func(stage string) {
		t.Helper()
		for _, k := range book.keys() {
			if !slices.ContainsFunc(seen, func(o core.IndexKey) bool { return o.Index == k.Index && slices.Equal(o.Key, k.Key) }) {
				seen = append(seen, k)
			}
		}
		s.view(func(r core.Reader) {
			for _, k := range seen { // also keys that list nothing any more
				checkQueries(t, s, r, book, k, stage)
			}
		})
	}
	const steps = 8
	for n := 1; n <= steps; n += 2 {
		commit := s.update(func(tx core.Tx) { // two steps in one commit: position alone does not order them
			s.put(tx, everyKind(n)...)
			s.put(tx, everyKind(n+1)...)
		})
		book.put(commit.Generation, everyKind(n)...)
		book.put(commit.Generation, everyKind(n+1)...)
	}
	for _, index := range core.Indexes {
		if !slices.ContainsFunc(book.keys(), func(k core.IndexKey) bool { return k.Index == index }) {
			t.Fatalf("the suite puts nothing into %s", index)
		}
	}
	check("filled")

	settle := func(n int) []protocol.Record {
		records := everyKind(n)
		r := records[5].(*protocol.Receipt)
		r.State, r.Offer = protocol.Acknowledged, nil
		records[1].(*protocol.Session).State = protocol.SessionClosed
		records[2].(*protocol.Intent).State = protocol.IntentDone
		records[3].(*protocol.Claim).Resource = "file:other.go"
		return records[1:]
	}
	for n := 2; n <= steps; n += 3 {
		commit := s.update(func(tx core.Tx) { s.put(tx, settle(n)...) })
		book.put(commit.Generation, settle(n)...)
	}
	check("settled")

	for n := 1; n <= steps; n++ {
		s.update(func(tx core.Tx) {
			for _, r := range everyKind(n) {
				s.remove(tx, r)
				delete(book, recordKey{r.Kind(), r.Key()})
			}
		})
		if n == steps/2 {
			check("half removed")
		}
	}
	check("emptied")
}

// checkQueries compares every query under one key: both directions, from every entry and from between
// entries, with and without a limit.
func checkQueries(t *testing.T, s *storeTest, r core.Reader, book ledger, k core.IndexKey, stage string) {
	t.Helper()
	all := book.find(core.Query{Index: k.Index, Key: k.Key})
	starts := []*core.Entry{nil, {}, {Position: 1 << 40}}
	for _, e := range all {
		between := core.Entry{Position: e.Position, ID: e.ID + "-"}
		starts = append(starts, &e, &between)
	}
	for _, after := range starts {
		for _, reverse := range []bool{false, true} {
			for _, limit := range []int{0, 1, 3} {
				q := core.Query{Index: k.Index, Key: k.Key, After: after, Reverse: reverse, Limit: limit}
				want, got := book.find(q), s.find(r, q)
				if len(want) == 0 && len(got) == 0 {
					continue
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s: %s %q after %v, reverse %v, limit %d (-want +got):\n%s", stage, k.Index, k.Key, after, reverse, limit, diff)
				}
			}
		}
	}
}
