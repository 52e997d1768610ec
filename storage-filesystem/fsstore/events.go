package fsstore

import (
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Events implements core.Reader. It finds its place from the end backwards, so that the usual question,
// what is new, costs what the answer is long.
func (s *snapshot) Events(after uint64, limit int) ([]protocol.Event, error) {
	events, err := s.events(after, limit)
	if s.note(err) != nil {
		return nil, err
	}
	return events, nil
}

func (s *snapshot) events(after uint64, limit int) ([]protocol.Event, error) {
	after = max(after, s.TrimmedThrough())
	if s.fault != nil {
		return nil, s.fault
	}
	if limit <= 0 || after >= s.at.Sequence {
		return nil, nil
	}
	first, err := s.segmentOf(after + 1)
	if err != nil {
		return nil, err
	}
	var events []protocol.Event
	for first != 0 && len(events) < limit {
		last, err := s.eventsOf(first, after, limit, &events)
		if err != nil {
			return nil, err
		}
		if last >= s.at.Sequence {
			break
		}
		first = last + 1
	}
	return events, nil
}

// segmentOf gives the first sequence of the segment that holds a sequence, or of the oldest one.
func (s *snapshot) segmentOf(sequence uint64) (uint64, error) {
	at := s.at.Segment
	for at > sequence {
		h, err := s.journal.segment(at)
		if err != nil {
			return 0, err
		}
		if h.Previous == 0 {
			return at, nil
		}
		if _, err := s.journal.dir.Stat(segmentFile(h.Previous)); vfs.Missing(err) {
			return at, s.trimmedSince(at)
		}
		at = h.Previous
	}
	return at, nil
}

// trimmedSince makes sure that a segment before at is gone because it was trimmed.
func (s *snapshot) trimmedSince(at uint64) error {
	floor, err := readFloor(s.journal.dir)
	if err != nil {
		return err
	}
	if floor < at-1 {
		return corrupt(segmentFile(at), 0, "the segment before it is gone and was not trimmed")
	}
	return nil
}

// eventsOf appends the events of a segment after a sequence and gives the last sequence of the segment
// up to the snapshot.
func (s *snapshot) eventsOf(first, after uint64, limit int, events *[]protocol.Event) (uint64, error) {
	found, err := s.enter(first, after+1)
	if err != nil {
		return 0, err
	}
	length := int64(-1)
	if first == s.at.Segment {
		length = s.at.End - found.offset
	}
	if err := s.journal.frames(&found, length); err != nil {
		return 0, err
	}
	if found.tail.file != "" {
		return 0, corrupt(found.tail.file, found.tail.offset, string(found.tail.problem)+", although it was committed")
	}
	for i := range found.entries {
		e := &found.entries[i]
		for k, raw := range e.Events {
			sequence := e.place.Sequence - uint64(len(e.Events)-1-k)
			if sequence <= after || len(*events) >= limit {
				continue
			}
			event, err := protocol.DecodeEvent(raw)
			if err == nil && event.Sequence != sequence {
				err = protocol.DataError("", "an event has another number than its place")
			}
			if err != nil {
				return 0, corrupt(segmentFile(first), e.Start, err.Error())
			}
			*events = append(*events, event)
		}
	}
	return found.last.Sequence, nil
}

// enter gives the start of a scan of a segment that finds a sequence.
func (s *snapshot) enter(first, sequence uint64) (scanned, error) {
	h, err := s.journal.segment(first)
	if err != nil {
		return scanned{}, err
	}
	last := place{Generation: h.Before, Sequence: first - 1, Segment: first, End: frame.SegmentSize}
	return scanned{last: last, segment: first, offset: frame.SegmentSize}, nil
}
