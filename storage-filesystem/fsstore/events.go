package fsstore

import (
	"errors"

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

// events reads the floor again when a segment is gone that was there a moment ago.
func (s *snapshot) events(after uint64, limit int) ([]protocol.Event, error) {
	for {
		floor := s.TrimmedThrough()
		if s.fault != nil {
			return nil, s.fault
		}
		events, err := s.eventsAbove(max(after, floor), limit)
		if !vfs.Missing(err) {
			return events, err
		}
		s.trimmed = nil
		if s.TrimmedThrough() == floor {
			return nil, err
		}
	}
}

func (s *snapshot) eventsAbove(after uint64, limit int) ([]protocol.Event, error) {
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
		next := h.Previous
		if h.Jump > sequence && s.journal.exists(h.Jump) {
			next = h.Jump
		}
		if next == 0 {
			return at, nil
		}
		if !s.journal.exists(next) {
			return at, s.trimmedBefore(at)
		}
		at = next
	}
	return at, nil
}

func (j journal) exists(segment uint64) bool {
	_, err := j.dir.Stat(segmentFile(segment))
	return !vfs.Missing(err)
}

// after gives the links of a segment that follows the one called last; 0: none.
func (j journal) after(last uint64) (frame.Segment, error) {
	if last == 0 {
		return frame.Segment{}, nil
	}
	h, err := j.segment(last)
	if err != nil {
		return frame.Segment{}, err
	}
	next := frame.Segment{Previous: last, Jump: last, Number: h.Number + 1}
	if h.Jump == 0 || !j.exists(h.Jump) {
		return next, nil
	}
	// The jumps of a skew binary number: two of equal length in a row become one of twice that.
	far, err := j.segment(h.Jump)
	if err != nil {
		return frame.Segment{}, err
	}
	if far.Jump != 0 && j.exists(far.Jump) {
		farther, err := j.segment(far.Jump)
		if err != nil {
			return frame.Segment{}, err
		}
		if h.Number-far.Number == far.Number-farther.Number {
			next.Jump = far.Jump
		}
	}
	return next, nil
}

// trimmedBefore makes sure that a segment before at is gone because it was trimmed.
func (s *snapshot) trimmedBefore(at uint64) error {
	floor, err := readFloor(s.journal.dir)
	if err != nil {
		return err
	}
	if floor < at-1 {
		return corrupt(segmentFile(at), 0, "the segment before it is gone and was not trimmed")
	}
	return nil
}

// eventsOf appends the events of a segment after a sequence and gives the last sequence that it read.
func (s *snapshot) eventsOf(first, after uint64, limit int, events *[]protocol.Event) (uint64, error) {
	end, err := s.endOf(first)
	if err != nil {
		return 0, err
	}
	found, err := s.journal.locate(first, end, after+1)
	if err != nil {
		return 0, err
	}
	var failed error
	err = s.journal.each(&found, end, func(e *entry) bool {
		failed = appendEvents(events, e, after, limit)
		return failed == nil && len(*events) < limit
	})
	return found.last.Sequence, errors.Join(err, failed)
}

// endOf gives the offset at which a segment ends in the snapshot.
func (s *snapshot) endOf(first uint64) (int64, error) {
	if first == s.at.Segment {
		return s.at.End, nil
	}
	st, err := s.journal.dir.Stat(segmentFile(first))
	if err != nil {
		return 0, readError(segmentFile(first), err)
	}
	return st.Size, nil
}

func appendEvents(events *[]protocol.Event, e *entry, after uint64, limit int) error {
	for k, raw := range e.Events {
		sequence := e.place.Sequence - uint64(len(e.Events)-1-k)
		if sequence <= after || len(*events) >= limit {
			continue
		}
		event, err := protocol.DecodeEvent(raw)
		if err == nil && event.Sequence != sequence {
			err = errors.New("an event has another number than its place")
		}
		if err != nil {
			return corrupt(segmentFile(e.Segment), e.Start, err.Error())
		}
		*events = append(*events, event)
	}
	return nil
}

const chunk = 128 << 10 // bytes of a segment that are read at a time

// each reads the frames of a segment up to end, until yield says false.
func (j journal) each(found *scanned, end int64, yield func(*entry) bool) error {
	file, size := segmentFile(found.segment), int64(chunk)
	for found.offset < end {
		data, err := j.readFrom(file, found.offset, min(size, end-found.offset))
		if err != nil {
			return err
		}
		last := found.offset+int64(len(data)) >= end
		begun := found.offset
		for len(data) > 0 {
			e, problem, err := j.next(found, data)
			if problem == frame.Short && !last {
				break
			}
			if err == nil && problem != "" {
				err = corrupt(file, found.offset, string(problem)+", although it was committed")
			}
			if err != nil {
				return err
			}
			data = data[e.Size:]
			if !yield(&e) {
				return nil
			}
		}
		if found.offset == begun {
			size *= 2 // a frame larger than what was read
		}
	}
	return nil
}

// locate gives a place in a segment, near before the frame that holds a sequence. Headers can be found
// from anywhere, so it halves the segment until what is left is small.
func (j journal) locate(first uint64, end int64, sequence uint64) (scanned, error) {
	h, err := j.segment(first)
	if err != nil {
		return scanned{}, err
	}
	last := place{Generation: h.Before, Sequence: first - 1, Segment: first, End: frame.SegmentSize}
	found := scanned{last: last, segment: first, offset: frame.SegmentSize}
	for low, high := found.offset, end; high-low > chunk && sequence > first; {
		middle := low + (high-low)/2
		at, err := j.probe(first, middle, high)
		if err != nil {
			return scanned{}, err
		}
		if at.offset == 0 || at.last.Sequence >= sequence {
			high = middle
			continue
		}
		found, low = at, at.offset
	}
	return found, nil
}

// probe gives the place before the first frame that begins in a range of a segment; offset 0: none does.
func (j journal) probe(first uint64, from, to int64) (scanned, error) {
	for size := int64(chunk); ; size *= 2 {
		data, err := j.readFrom(segmentFile(first), from, min(size, to-from))
		if err != nil {
			return scanned{}, err
		}
		at, generation := frame.Sync(data, j.tag, 0)
		if at >= 0 {
			f, problem := frame.Parse(data[at:], j.tag, generation, nil)
			if problem == "" {
				t, err := decodeTransaction(f.Payload)
				if err != nil {
					return scanned{}, corrupt(segmentFile(first), from+int64(at), err.Error())
				}
				before, err := protocol.ParseSequence(t.FirstSequence)
				if err != nil || before == 0 {
					return scanned{}, corrupt(segmentFile(first), from+int64(at), "its first sequence is malformed")
				}
				last := place{Generation: generation - 1, Sequence: before - 1, Segment: first, End: from + int64(at)}
				return scanned{last: last, segment: first, offset: last.End}, nil
			}
			if problem != frame.Short {
				return scanned{}, corrupt(segmentFile(first), from+int64(at), string(problem)+", although it was committed")
			}
		}
		if size >= to-from {
			return scanned{}, nil
		}
	}
}
