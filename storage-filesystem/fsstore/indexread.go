package fsstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

const (
	maxLag   = 64 // generations whose frames are read to be laid over the indexes, beyond those that were read anyway
	maxWalks = 3  // that may miss a page because the manifest has moved on
)

// indexKind says which kind the entries of an index are about; empty: there is no such index.
func indexKind(name core.Index) protocol.Kind {
	switch name {
	case core.MessageByClientKey, core.MessagesInOrder, core.MessagesByKind, core.ThreadMessages, core.DecisionSuccessors:
		return protocol.KindMessage
	case core.ReceiptsByMessage, core.PendingReceipts, core.QueuedReceipts, core.LiveOffers, core.AwaitingReceipts, core.OwedReceipts,
		core.ObligationsByAuthor:
		return protocol.KindReceipt
	case core.OpenSessions, core.OpenSessionsByParticipant, core.OpenSessionsByHarness, core.SessionsByParticipant:
		return protocol.KindSession
	case core.LiveClaims, core.ClaimsByOwner, core.ClaimsByResource, core.ClaimsByDirectory:
		return protocol.KindClaim
	case core.OpenIntents:
		return protocol.KindIntent
	case core.Participants:
		return protocol.KindParticipant
	}
	return ""
}

// indexes is what was read of the indexes, and the frames that they do not know yet.
type indexes struct {
	manifest *manifest
	trees    map[core.Index]*index.Tree
	upTo     place // of frames
	frames   []entry
	changes  map[protocol.Kind][]listing // of frames, as far as they were asked for
}

// indexFault says why an index cannot answer. Reading the manifest again may help, if it has changed.
type indexFault struct{ err error }

func (e *indexFault) Error() string { return e.err.Error() }
func (e *indexFault) Unwrap() error { return e.err }

func faultf(format string, args ...any) error { return &indexFault{fmt.Errorf(format, args...)} }

// errRebuild says that this process may make the indexes again before it goes on.
var errRebuild = errors.New("the indexes must be made again")

// Find implements core.Reader.
func (s *snapshot) Find(q core.Query) ([]core.Entry, error) {
	found, err := s.find(q, nil)
	if s.note(err) != nil {
		return nil, err
	}
	return found, nil
}

// find answers q; staged, if not nil, is what a transaction has changed so far.
func (s *snapshot) find(q core.Query, staged map[recordKey]*stagedRecord) ([]core.Entry, error) {
	kind := indexKind(q.Index)
	if kind == "" {
		return nil, protocol.UsageError("", fmt.Sprintf("there is no index %q", q.Index))
	}
	if s.at.Generation == 0 {
		all, err := s.listed(kind, q.Index, q.Key, staged)
		return page(all, q), err
	}
	var fault *indexFault
	for again := true; again; {
		found, err := s.walk(q, kind, staged)
		if err == nil {
			s.expects(kind, found)
		}
		if !errors.As(err, &fault) {
			return found, err
		}
		var primary *protocol.Error
		if errors.As(fault.err, &primary) && primary.Reason == protocol.ReasonStoreCorrupt {
			return nil, primary // the journal itself: other indexes would only hide it
		}
		if again, err = s.loads.nextIndexes(s.journal); err != nil {
			return nil, err
		}
	}
	if s.store.opts.Rebuild {
		return nil, errRebuild
	}
	return nil, indexUnavailable(fault.Error())
}

// nextIndexes forgets indexes that could not answer: for those of a manifest that has been replaced meanwhile, or
// for older ones. Without any left it says so.
func (c *loads) nextIndexes(j journal) (bool, error) {
	failed := c.indexes
	c.indexes = nil
	if c.base == 0 && c.walks < maxWalks {
		m, err := readManifest(c.dir, manifestFile, j.tag)
		if err != nil {
			return false, err
		}
		if c.walks++; failed != nil && failed.manifest.place != m.placeOf() {
			return true, nil
		}
	}
	if c.base++; c.base < len(bases) {
		return true, nil
	}
	c.base, c.walks = 0, 0
	return false, nil
}

// open gives the indexes together with the frames up to the snapshot.
func (s *snapshot) openIndexes() (*indexes, error) {
	ix := s.loads.indexes
	if ix == nil {
		m, err := readBase(s.loads.dir, s.loads.base, s.journal.tag)
		if err != nil {
			return nil, err
		}
		if m == nil {
			return nil, faultf("there is no %s that can be read", bases[s.loads.base])
		}
		ix = &indexes{manifest: m, upTo: m.place, trees: map[core.Index]*index.Tree{}}
		s.loads.indexes = ix
	}
	switch {
	case ix.upTo == s.at:
		return ix, nil
	case ix.upTo.Generation > s.at.Generation:
		return nil, errOvertaken
	}
	frames, err := s.framesAfter(ix.upTo)
	if err != nil {
		return nil, err
	}
	ix.frames, ix.upTo, ix.changes = append(ix.frames, frames...), s.at, nil
	return ix, nil
}

// framesAfter gives the frames after a place that the manifest or an earlier snapshot names. Those that are laid
// over the state were read already; of others it reads a bounded number.
func (s *snapshot) framesAfter(from place) ([]entry, error) {
	frames := s.overlay.entries
	if n := len(frames); n == 0 || frames[n-1].place != s.at { // that of a writer ends before what it has just committed
		frames = nil
	}
	if skip := slices.IndexFunc(frames, func(e entry) bool { return e.place.Generation > from.Generation }); skip > 0 {
		frames = frames[skip:]
	}
	read := s.at.Generation + 1 // from here on
	if len(frames) > 0 {
		read = frames[0].place.Generation
	}
	if unread := read - from.Generation - 1; unread > 0 {
		if unread > maxLag {
			return nil, faultf("they are %d generations behind", unread)
		}
		older, err := s.journal.between(from, s.at)
		if err != nil {
			return nil, &indexFault{err}
		}
		frames = older
	}
	n := len(frames)
	if n == 0 || frames[0].place.Generation != from.Generation+1 || from.Start > 0 && frames[0].Previous != from.CRC {
		return nil, faultf("generation %d, up to which they go, is not in the journal", from.Generation)
	}
	if frames[n-1].place != s.at {
		return nil, faultf("generation %d, which is read, is not in the journal", s.at.Generation)
	}
	return frames, nil
}

// tree gives one index as it was at the manifest.
func (ix *indexes) tree(dir vfs.Dir, name core.Index) *index.Tree {
	t, ok := ix.trees[name]
	if !ok {
		t = index.Open(ix.manifest.roots[name], leastLevel(name), func(page string) ([]byte, error) { return readPage(dir, page) })
		ix.trees[name] = t
	}
	return t
}

// readPage reads a page. One that is not there may have been swept after the manifest moved on.
func readPage(dir vfs.Dir, name string) ([]byte, error) {
	content, err := dir.ReadFile(pageFile(name), index.MaxBytes)
	if vfs.Missing(err) || errors.Is(err, vfs.ErrTooLarge) {
		return nil, &indexFault{err}
	}
	if err != nil {
		return nil, readError(pageFile(name), err)
	}
	return content, nil
}

// changesOf gives what the frames after the manifest did to indexes about kind.
func (s *snapshot) changesOf(ix *indexes, kind protocol.Kind) ([]listing, error) {
	if changes, ok := ix.changes[kind]; ok {
		return changes, nil
	}
	var changes []listing
	decode := func(key recordKey, m image) (core.Stored, error) {
		stored, _, err := s.fromOverlay(key, m)
		return stored, err
	}
	for i := range ix.frames {
		err := ix.frames[i].listings(kind, decode, func(l listing) { changes = append(changes, l) })
		if err != nil {
			return nil, &indexFault{err}
		}
	}
	if ix.changes == nil {
		ix.changes = map[protocol.Kind][]listing{}
	}
	ix.changes[kind] = changes
	return changes, nil
}

// walk merges an index with what is newer than it.
func (s *snapshot) walk(q core.Query, kind protocol.Kind, staged map[recordKey]*stagedRecord) ([]core.Entry, error) {
	ix, err := s.openIndexes()
	if err != nil {
		return nil, err
	}
	changes, err := s.changesOf(ix, kind)
	if err != nil {
		return nil, err
	}
	key := index.Key(q.Key)
	newer := map[core.Entry]bool{} // listed or not, in the end
	note := func(l listing) {
		if l.index == q.Index && slices.Equal(l.tuple.Key, key) {
			newer[entryOf(l.tuple)] = !l.gone
		}
	}
	for _, l := range changes {
		note(l)
	}
	for k, change := range staged {
		if k.kind == kind {
			change.listings(k, note)
		}
	}
	m := merge{query: q, added: added(newer, q)}
	err = ix.tree(s.loads.dir, q.Index).Scan(key, startOf(q), q.Reverse, func(x index.Tuple) bool {
		e := entryOf(x)
		if _, known := newer[e]; known {
			return true
		}
		return m.takeUntil(&e) && m.take(e)
	})
	var damaged *index.PageError
	if errors.As(err, &damaged) {
		err = &indexFault{err}
	}
	if err != nil {
		return nil, err
	}
	m.takeUntil(nil)
	return m.found, nil
}

func entryOf(x index.Tuple) core.Entry { return core.Entry{Position: uint64(x.At), ID: x.ID} }

func startOf(q core.Query) *index.Tuple {
	if q.After == nil {
		return nil
	}
	return &index.Tuple{At: int64(min(q.After.Position, maxNumber)), ID: q.After.ID}
}

// added gives the new entries that q asks for, in its order.
func added(newer map[core.Entry]bool, q core.Query) []core.Entry {
	var all []core.Entry
	for e, listed := range newer {
		if listed {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, compareEntries)
	return page(all, q)
}

// merge brings two ordered streams of entries together.
type merge struct {
	query core.Query
	added []core.Entry
	found []core.Entry
}

// take adds e and says whether there is room for more.
func (m *merge) take(e core.Entry) bool {
	if m.full() {
		return false
	}
	m.found = append(m.found, e)
	return !m.full()
}

func (m *merge) full() bool { return m.query.Limit > 0 && len(m.found) >= m.query.Limit }

// takeUntil adds what comes before e, or everything that is left if e is nil.
func (m *merge) takeUntil(e *core.Entry) bool {
	for len(m.added) > 0 && !m.full() {
		if e != nil && (compareEntries(m.added[0], *e) > 0) != m.query.Reverse {
			break
		}
		m.found, m.added = append(m.found, m.added[0]), m.added[1:]
	}
	return !m.full()
}
