package fsstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
)

// Finding is something that is not as it should be.
type Finding struct {
	File    string // below the directory of the store
	Offset  int64
	Problem string
	Derived bool // it can be made again from the journal; otherwise it is primary data, which nothing repairs
}

// String gives one line for people.
func (f Finding) String() string {
	return fmt.Sprintf("%s at offset %d: %s", f.File, f.Offset, f.Problem)
}

// Report is the result of a check.
type Report struct {
	Generation     uint64 // of the last frame
	Sequence       uint64 // of the last event
	TrimmedThrough uint64
	Segments       int
	Frames         int
	Records        int   // in state/
	JournalBytes   int64 // of the frames that were read
	TornTail       bool  // the trace of a crash that the next writer will cut; not a finding
	Findings       []Finding
}

// Fsck reads everything there is and compares it: frames and their checksums, sequences against the trim
// floor, records and events against their schemas, state files and marks against the journal. It changes
// nothing, takes no lock and waits for nobody; what a writer changes meanwhile is no finding. The error is
// for what could not be read at all.
func (s *Store) Fsck(ctx context.Context) (Report, error) {
	for range maxRestarts {
		report, err := s.fsckOnce(ctx)
		if !errors.Is(err, errRestart) {
			return report, err
		}
	}
	return Report{}, protocol.ConflictError("", "the store was recovered again and again while it was checked").WithHint("try again")
}

// check is one run of Fsck.
type check struct {
	*reading
	Report
	begun  uint64                // generation before the oldest segment
	images map[recordKey]digest  // what the journal says of each record, at its end
	seen   map[recordKey]bool    // state files that are there
	missed map[recordKey]bool    // ... or are not, although an index lists the record
	doubts []doubt               // what differs, unless a newer frame explains it
	listed map[core.Index]*tally // what the records demand of the indexes
}

// digest stands for the state file that a record should have.
type digest struct {
	generation, created uint64
	crc                 uint32
	removed             bool
}

type doubt struct {
	key recordKey
	Finding
}

func (s *Store) fsckOnce(ctx context.Context) (Report, error) {
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return Report{}, err
	}
	defer dir.Close()
	id, found, err := s.settled(dir, false)
	if !found || err != nil {
		return Report{}, err
	}
	r := &reading{store: s, dir: dir, journal: journal{dir, id.tag()}, loads: newLoads(dir)}
	c := &check{reading: r, images: map[recordKey]digest{}, seen: map[recordKey]bool{}, missed: map[recordKey]bool{}, listed: map[core.Index]*tally{}}
	if err := r.start(); err != nil {
		return c.refusal(err)
	}
	if c.TrimmedThrough, err = readFloor(dir); err != nil {
		return Report{}, err
	}
	if err := c.checkJournal(ctx); err != nil {
		return c.refusal(err)
	}
	if err := c.checkMarks(); err != nil {
		return Report{}, err
	}
	if err := c.checkState(ctx); err != nil {
		return Report{}, err
	}
	if len(c.doubts)+len(c.Findings) == 0 { // otherwise the indexes would only say it again
		if err := c.checkIndexes(); err != nil {
			return Report{}, err
		}
	}
	return c.Report, c.settleDoubts()
}

// refusal turns corruption into a finding; everything behind it is not looked at.
func (c *check) refusal(err error) (Report, error) {
	var e *protocol.Error
	if errors.As(err, &e) && e.Reason == protocol.ReasonStoreCorrupt {
		file, _ := e.Details["file"].(string)
		offset, _ := e.Details["offset"].(int64)
		c.Findings = append(c.Findings, Finding{File: file, Offset: offset, Problem: e.Message})
		return c.Report, nil
	}
	return c.Report, err
}

// checkJournal reads every segment, one at a time, up to the end of the snapshot.
func (c *check) checkJournal(ctx context.Context) error {
	found, err := c.journal.begin(place{})
	if err != nil {
		return err
	}
	c.begun = found.last.Generation
	if found.segment > 0 && found.segment-1 > c.TrimmedThrough {
		c.primary(segmentFile(found.segment), 0, fmt.Sprintf("events up to %d are gone and only %d were trimmed", found.segment-1, c.TrimmedThrough))
	}
	for found.segment != 0 {
		if err := ctx.Err(); err != nil {
			return protocol.TimeoutError("", "the deadline passed while the store was checked").Because(err)
		}
		c.Segments++
		length := int64(-1)
		if found.segment == c.end.Segment {
			length = c.end.End - found.offset
		}
		found.entries = nil
		if err := c.journal.frames(&found, length); err != nil {
			return err
		}
		for i := range found.entries {
			c.checkEntry(&found.entries[i])
		}
		if found.tail.file != "" {
			return corrupt(found.tail.file, found.tail.offset, string(found.tail.problem)+", although it was committed")
		}
		if found.last.Generation >= c.end.Generation {
			break
		}
		if more, err := c.journal.advance(&found); err != nil {
			return err
		} else if !more {
			return missingFrames(found, c.end.Generation)
		}
	}
	c.Generation, c.Sequence = c.end.Generation, c.end.Sequence
	if found.last.Generation != c.end.Generation || c.end.Generation > c.begun && found.last.CRC != c.end.CRC {
		return corrupt(segmentFile(c.end.Segment), c.end.Start, "it is not the frame that was committed")
	}
	return c.checkTail(found)
}

// checkTail tells the trace of a crash from a frame that is being written, and both from corruption.
func (c *check) checkTail(found scanned) error {
	if c.headOurs || found.segment == 0 {
		return nil // what lies beyond head is a writer's business
	}
	rest, err := c.journal.scan(found.last)
	if err == nil && rest.tail.corrupt != "" {
		err = rest.tail.corruption()
	}
	c.TornTail = rest.tail.file != ""
	return err
}

// checkEntry checks what a frame holds and remembers its after-images.
func (c *check) checkEntry(e *entry) {
	c.Frames++
	c.JournalBytes += int64(e.Size)
	file := segmentFile(e.Segment)
	for i, raw := range e.Events {
		event, err := protocol.DecodeEvent(raw)
		sequence := e.place.Sequence - uint64(len(e.Events)-1-i)
		switch {
		case err != nil:
			c.primary(file, e.Start, err.Error())
		case event.Sequence != sequence:
			c.primary(file, e.Start, fmt.Sprintf("event %d is in the place of event %d", event.Sequence, sequence))
		case event.WorkspaceID != c.store.opts.WorkspaceID:
			c.primary(file, e.Start, fmt.Sprintf("event %d belongs to workspace %q", event.Sequence, event.WorkspaceID))
		}
	}
	for _, r := range e.Removes {
		c.images[recordKey{protocol.Kind(r.Kind), r.ID}] = digest{generation: e.place.Generation, removed: true}
	}
	for _, p := range e.Puts {
		key, m := recordKey{protocol.Kind(p.Kind), p.ID}, image{e.place.Generation, uint64(p.Created), p.Record}
		stored, err := m.stored(key, file)
		if err == nil && workspaceOf(stored.Record) != c.store.opts.WorkspaceID {
			err = fmt.Errorf("%s belongs to workspace %q", key, workspaceOf(stored.Record))
		}
		if err != nil {
			c.primary(file, e.Start, err.Error())
			continue
		}
		before, known := c.images[key]
		switch {
		case known && !before.removed && before.created != m.created,
			(!known && c.begun == 0 || known && before.removed) && m.created != m.generation,
			m.created > m.generation:
			c.primary(file, e.Start, fmt.Sprintf("%s says that it was created in generation %d", key, m.created))
		}
		data, err := m.state(key)
		if err != nil {
			c.primary(file, e.Start, err.Error())
			continue
		}
		c.images[key] = digest{generation: m.generation, created: m.created, crc: frame.Checksum(data)}
	}
}

// workspaceOf gives the room that a record says it is of.
func workspaceOf(r protocol.Record) string {
	switch r := r.(type) {
	case *protocol.Workspace:
		return r.WorkspaceID
	case *protocol.Participant:
		return r.WorkspaceID
	case *protocol.Session:
		return r.WorkspaceID
	case *protocol.Intent:
		return r.WorkspaceID
	case *protocol.Claim:
		return r.WorkspaceID
	case *protocol.Message:
		return r.WorkspaceID
	case *protocol.Receipt:
		return r.WorkspaceID
	}
	return ""
}

// checkMarks compares what head, applied and checkpoint say with the journal.
func (c *check) checkMarks() error {
	for _, name := range []string{appliedFile, checkpointFile} {
		m, err := readMark(c.dir, name)
		if err != nil {
			return err
		}
		if m.generationOf() > c.end.Generation && !c.headOurs {
			c.primary(name, 0, fmt.Sprintf("it names generation %d, and the journal ends with %d", m.Generation, c.end.Generation))
		}
	}
	return nil
}

// checkState compares every state file with the journal.
func (c *check) checkState(ctx context.Context) error {
	for _, kind := range protocol.Kinds {
		keys, err := listState(c.dir, kind)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := ctx.Err(); err != nil {
				return protocol.TimeoutError("", "the deadline passed while the store was checked").Because(err)
			}
			c.seen[key] = true
			c.Records++
			c.checkFile(key)
		}
	}
	for key, want := range c.images {
		if _, unpublished := c.overlay.images[key]; !want.removed && !c.seen[key] && !unpublished {
			c.doubt(key, "it is missing")
		}
	}
	return nil
}

func (c *check) checkFile(key recordKey) {
	if _, unpublished := c.overlay.images[key]; unpublished {
		return // its last image is in the journal alone, or on its way
	}
	raw, err := c.dir.ReadFile(key.file(), maxState)
	if err != nil {
		c.doubt(key, err.Error())
		return
	}
	want, known := c.images[key]
	switch {
	case known && want.removed:
		c.doubt(key, "the record was removed")
		return
	case known && frame.Checksum(raw) != want.crc:
		c.doubt(key, "it is not what the journal says")
		return
	case !known && c.begun == 0:
		c.doubt(key, "the journal does not know the record")
		return
	}
	m, err := decodeState(key, raw)
	if err != nil {
		c.doubt(key, err.Error())
		return
	}
	stored, err := m.stored(key, key.file())
	if err != nil {
		c.doubt(key, err.Error())
	} else if again, err := m.compact().state(key); err != nil || !bytes.Equal(again, raw) {
		c.doubt(key, "it is not in the form in which it was written")
	} else {
		c.expect(key, stored)
	}
}

// settleDoubts drops what a commit during the check explains.
func (c *check) settleDoubts() error {
	if len(c.doubts) == 0 {
		return nil
	}
	newer := map[recordKey]bool{}
	if c.headOurs {
		head, err := readMark(c.dir, headFile)
		if err != nil {
			return err
		}
		if !c.store.ours(head) {
			return errRestart
		}
		entries, err := c.journal.between(c.end, head.place)
		if err != nil {
			return c.confirm(err)
		}
		late := newOverlay()
		late.add(entries)
		for key := range late.images {
			newer[key] = true
		}
		newer[recordKey{protocol.Kind(indexDir), ""}] = len(entries) > 0
	} else if err := c.sameEnd(); err != nil {
		return err
	}
	for _, d := range c.doubts {
		if !newer[d.key] {
			c.Findings = append(c.Findings, d.Finding)
		}
	}
	return nil
}

func (c *check) primary(file string, offset int64, problem string) {
	c.Findings = append(c.Findings, Finding{File: file, Offset: offset, Problem: problem})
}

// doubt notes a state file that differs. Once the journal no longer holds the last image of a record, its
// state file is the only copy.
func (c *check) doubt(key recordKey, problem string) {
	_, known := c.images[key]
	c.doubts = append(c.doubts, doubt{key, Finding{File: key.file(), Problem: problem, Derived: known || c.begun == 0}})
}
