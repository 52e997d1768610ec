package fsstore

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// journal reads the segments of one store.
type journal struct {
	dir vfs.Dir
	tag frame.Tag
}

// entry is a frame of the journal with its transaction.
type entry struct {
	place
	frame.Frame
	transaction
}

// tail says what follows the last complete frame.
type tail struct {
	file    string // "": nothing follows
	offset  int64
	bytes   []byte
	problem frame.Problem
	corrupt string // why it cannot be the trace of a crash; "": it can
}

// corruption is the error for a tail that cannot be the trace of a crash.
func (t tail) corruption() error {
	return corrupt(t.file, t.offset, string(t.problem)+", and "+t.corrupt)
}

// scanned is what a scan found.
type scanned struct {
	entries []entry
	last    place  // after the last complete frame
	segment uint64 // in which the next frame belongs; 0: there is none yet
	offset  int64  // at which it begins
	tail    tail
}

// scan reads the journal from a place to its last complete frame.
func (j journal) scan(from place) (scanned, error) {
	found, err := j.begin(from)
	if err != nil || found.segment == 0 {
		return found, err
	}
	for {
		if err := j.frames(&found, -1); err != nil {
			return found, err
		}
		if found.tail.file != "" {
			return found, j.judge(&found)
		}
		more, err := j.advance(&found)
		if err != nil || !more {
			return found, err
		}
	}
}

// between reads exactly the frames after from up to to, which somebody vouches for.
func (j journal) between(from, to place) ([]entry, error) {
	if from.Generation >= to.Generation {
		return nil, nil
	}
	found, err := j.begin(from)
	if err != nil {
		return nil, err
	}
	for {
		length := int64(-1)
		if found.segment == to.Segment {
			length = to.End - found.offset
		}
		if err := j.frames(&found, length); err != nil {
			return nil, err
		}
		if found.tail.file != "" {
			return nil, corrupt(found.tail.file, found.tail.offset, string(found.tail.problem)+", although it was committed")
		}
		if found.last.Generation >= to.Generation {
			break
		}
		more, err := j.advance(&found)
		if err != nil {
			return nil, err
		}
		if !more {
			return nil, missingFrames(found, to.Generation)
		}
	}
	if found.last != to {
		return nil, corrupt(segmentFile(to.Segment), to.Start, "it is not the frame that was committed")
	}
	return found.entries, nil
}

// missingFrames says that the journal ends before a generation that was committed.
func missingFrames(found scanned, named uint64) error {
	return corrupt(segmentFile(found.segment), found.offset,
		fmt.Sprintf("generation %d was committed, and the journal ends with %d", named, found.last.Generation))
}

// holds says whether the last frame up to a place is there, as somebody saw it.
func (j journal) holds(at place) error {
	if at.Start == 0 {
		return nil
	}
	data, err := j.readFrom(segmentFile(at.Segment), at.Start, at.End-at.Start)
	if err != nil {
		return err
	}
	f, problem := frame.Parse(data, j.tag, at.Generation, nil)
	if problem == "" && f.CRC != at.CRC {
		problem = "it is not the frame that was committed"
	}
	if problem != "" {
		return corrupt(segmentFile(at.Segment), at.Start, string(problem))
	}
	return nil
}

// begin gives the start of a scan: from itself, or the start of the oldest segment when from is the
// empty journal.
func (j journal) begin(from place) (scanned, error) {
	if from.Segment != 0 {
		return scanned{last: from, segment: from.Segment, offset: from.End}, nil
	}
	first, err := j.oldest()
	if err != nil || first == 0 {
		return scanned{}, err
	}
	h, err := j.segment(first)
	if err != nil {
		return scanned{}, err
	}
	if h.Previous != 0 {
		floor, err := readFloor(j.dir)
		if err != nil {
			return scanned{}, err
		}
		if floor < first-1 {
			return scanned{}, corrupt(segmentFile(first), 0, "the segment before it is gone and was not trimmed")
		}
	}
	last := place{Generation: h.Before, Sequence: first - 1, Segment: first, End: frame.SegmentSize}
	return scanned{last: last, segment: first, offset: frame.SegmentSize}, nil
}

// holdsEverything says whether state can be made again from the journal alone.
func (j journal) holdsEverything() error {
	found, err := j.begin(place{})
	if err == nil && found.last.Generation > 0 {
		err = corrupt(stateDir, 0, fmt.Sprintf("the directory is gone, and the journal was trimmed up to generation %d", found.last.Generation))
	}
	return err
}

// oldest gives the first sequence of the oldest segment, or 0 if there is none.
func (j journal) oldest() (uint64, error) {
	if _, err := j.dir.Stat(segmentFile(1)); err == nil {
		return 1, nil
	}
	all, err := j.segments()
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0], nil
}

// segments lists the first sequences of all segments in order. It is for recovery after a power cut
// and for checks; no hot path needs it.
func (j journal) segments() ([]uint64, error) {
	listed, err := j.dir.List(journalDir)
	if vfs.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(journalDir, err)
	}
	return segmentNames(listed), nil
}

// segment reads the header of a segment.
func (j journal) segment(first uint64) (frame.Segment, error) {
	name := segmentFile(first)
	raw, err := j.readFrom(name, 0, frame.SegmentSize)
	if err != nil {
		return frame.Segment{}, err
	}
	h, err := frame.ParseSegment(raw, j.tag)
	if err != nil {
		return frame.Segment{}, corrupt(name, 0, err.Error())
	}
	if h.FirstSequence != first {
		return frame.Segment{}, corrupt(name, 0, "it is another segment under this name")
	}
	return h, nil
}

// readFrom reads length bytes of a file, or up to its end if length is negative or beyond it.
func (j journal) readFrom(name string, offset, length int64) ([]byte, error) {
	f, err := j.dir.Open(name, vfs.Read)
	if err != nil {
		return nil, readError(name, err)
	}
	defer f.Close()
	if length < 0 {
		st, err := f.Stat()
		if err != nil {
			return nil, readError(name, err)
		}
		length = max(st.Size-offset, 0)
	}
	buf := make([]byte, length)
	n, err := f.ReadAt(buf, offset)
	if err != nil && err != io.EOF {
		return nil, readError(name, err)
	}
	return buf[:n], nil
}

// frames reads the frames of the segment that found stands in, within length bytes or, if length is
// negative, to its end, and stops at the first bytes that are not a frame.
func (j journal) frames(found *scanned, length int64) error {
	file := segmentFile(found.segment)
	data, err := j.readFrom(file, found.offset, length)
	if err != nil {
		return err
	}
	for len(data) > 0 {
		e, problem, err := j.next(found, data)
		if err != nil {
			return err
		}
		if problem != "" {
			found.tail = tail{file: file, offset: found.offset, bytes: data, problem: problem}
			return nil
		}
		found.entries = append(found.entries, e)
		data = data[e.Size:]
	}
	return nil
}

// next parses the frame at the start of data, which is where found stands, and moves behind it.
func (j journal) next(found *scanned, data []byte) (entry, frame.Problem, error) {
	previous := &found.last.CRC
	if found.last.Start == 0 && found.last.Generation > 0 {
		previous = nil // the frame before was trimmed, or is not known here
	}
	f, problem := frame.Parse(data, j.tag, found.last.Generation+1, previous)
	if problem != "" {
		return entry{}, problem, nil
	}
	e, err := newEntry(found, f)
	if err != nil {
		return entry{}, "", corrupt(segmentFile(found.segment), found.offset, err.Error())
	}
	found.last, found.offset = e.place, e.place.End
	return e, "", nil
}

// newEntry reads the transaction of the complete frame at which found stands.
func newEntry(found *scanned, f frame.Frame) (entry, error) {
	t, err := decodeTransaction(f.Payload)
	if err != nil {
		return entry{}, fmt.Errorf("the transaction in the frame is malformed: %w", err)
	}
	if uint64(t.Generation) != f.Generation || t.FirstSequence != protocol.FormatSequence(found.last.Sequence+1) {
		return entry{}, fmt.Errorf("the transaction in the frame says that it is generation %d, sequence %s", t.Generation, t.FirstSequence)
	}
	return entry{
		place: place{
			Generation: f.Generation, Sequence: found.last.Sequence + uint64(len(t.Events)),
			Segment: found.segment, Start: found.offset, End: found.offset + int64(f.Size), CRC: f.CRC,
		},
		Frame: f, transaction: t,
	}, nil
}

// advance moves to the next segment once the last one was read to its end.
func (j journal) advance(found *scanned) (more bool, err error) {
	next := found.last.Sequence + 1
	if next == found.segment {
		return false, nil
	}
	h, err := j.segment(next)
	if vfs.Missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if h.Before != found.last.Generation {
		return false, corrupt(segmentFile(next), 0, fmt.Sprintf("it follows generation %d, and the journal before it ends with %d", h.Before, found.last.Generation))
	}
	found.segment, found.offset = next, frame.SegmentSize
	return true, nil
}

// judge decides whether bad bytes at the end can be the trace of a crash.
func (j journal) judge(found *scanned) error {
	t := &found.tail
	if at := frame.Later(t.bytes, j.tag, found.last.Generation+1); at >= 0 {
		t.corrupt = fmt.Sprintf("a later frame follows at offset %d", t.offset+int64(at))
		return nil
	}
	return j.lastSegment(found)
}

// lastSegment makes sure that nothing was written after the segment in which the scan ended.
func (j journal) lastSegment(found *scanned) error {
	all, err := j.segments()
	if err != nil || len(all) == 0 {
		return err
	}
	if last := all[len(all)-1]; last > found.segment {
		found.tail.file, found.tail.offset = segmentFile(found.segment), found.offset
		if found.tail.problem == "" {
			found.tail.problem = "the journal ends here"
		}
		found.tail.corrupt = "a later segment follows: " + segmentFile(last)
	}
	return nil
}

// segmentNames picks the segments out of a listing of the journal directory, in order.
func segmentNames(listed []vfs.Entry) []uint64 {
	var all []uint64
	for _, e := range listed {
		digits, ok := strings.CutSuffix(path.Base(e.Name), ".log")
		if !ok || len(digits) != protocol.SequenceDigits || e.Dir {
			continue
		}
		if n, err := strconv.ParseUint(digits, 10, 64); err == nil && n > 0 {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}
