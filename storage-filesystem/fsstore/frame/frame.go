package frame

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Sizes in bytes.
const (
	HeaderSize  = 36
	TrailerSize = 4
	SegmentSize = 60 // of the header of a segment
	MinPayload  = 2
	MaxPayload  = 64 << 20
)

// Magic of a frame and of a segment. The byte 0xff occurs in no UTF-8 text.
var (
	frameMagic   = [8]byte{0xff, 'A', 'C', 'C', 'F', '2', '\r', '\n'}
	segmentMagic = [8]byte{0xff, 'A', 'C', 'C', 'S', '2', '\r', '\n'}
)

// Tag ties every frame to one store, so that bytes of another one are never taken for ours.
type Tag [8]byte

// NewTag derives the tag from what never changes in the identity of a store.
func NewTag(workspaceID, initialisedAt string) Tag {
	sum := sha256.Sum256([]byte(workspaceID + "\x00" + initialisedAt))
	return Tag(sum[:8])
}

// Frame is a complete frame in memory.
type Frame struct {
	Generation uint64
	Previous   uint32 // CRC of the frame before this one; 0 for the first of a store
	CRC        uint32 // of this frame
	Payload    []byte // shares the bytes that were parsed
	Size       int    // of header, payload and trailer
}

// Append appends a complete frame to dst and gives its CRC. The payload must be JSON of MinPayload to
// MaxPayload bytes.
func Append(dst []byte, tag Tag, generation uint64, previous uint32, payload []byte) ([]byte, uint32) {
	start := len(dst)
	dst = append(dst, frameMagic[:]...)
	dst = append(dst, tag[:]...)
	dst = binary.BigEndian.AppendUint64(dst, generation)
	dst = binary.BigEndian.AppendUint32(dst, previous)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(payload)))
	crc := Checksum(dst[start:])
	dst = binary.BigEndian.AppendUint32(dst, crc)
	crc = payloadCRC(dst[start:start+HeaderSize-4], payload)
	dst = append(dst, payload...)
	return binary.BigEndian.AppendUint32(dst, crc), crc
}

// payloadCRC covers the header as well, without its own CRC, so that the CRC of a frame depends on
// everything in it and, through Previous, on every frame before it.
func payloadCRC(header, payload []byte) uint32 {
	return update(Checksum(header), payload)
}

// Problem says why bytes are not the frame that was expected.
type Problem string

// The problems. Only Short, and the others at the very end of a journal, can be the trace of a crash.
const (
	Short       Problem = "the bytes end inside the frame"
	NoMagic     Problem = "no frame begins here"
	BadHeader   Problem = "the checksum of the frame header is wrong"
	OtherStore  Problem = "the frame belongs to another store"
	BadLength   Problem = "the frame has an impossible length"
	BadPayload  Problem = "the checksum of the frame is wrong"
	OutOfOrder  Problem = "the generation of the frame does not follow"
	BrokenChain Problem = "the frame does not follow the one before it"
)

// Parse reads the frame at the start of data. It must have the given generation and, unless previous
// is nil, follow the frame with that CRC. An empty problem means that the frame is complete.
func Parse(data []byte, tag Tag, generation uint64, previous *uint32) (Frame, Problem) {
	h, problem := parseHeader(data, tag)
	if problem != "" {
		return Frame{}, problem
	}
	if len(data) < HeaderSize+h.length+TrailerSize {
		return Frame{}, Short
	}
	payload := data[HeaderSize : HeaderSize+h.length]
	crc := binary.BigEndian.Uint32(data[HeaderSize+h.length:])
	switch {
	case crc != payloadCRC(data[:HeaderSize-4], payload):
		return Frame{}, BadPayload
	case h.generation != generation:
		return Frame{}, OutOfOrder
	case previous != nil && h.previous != *previous:
		return Frame{}, BrokenChain
	}
	size := HeaderSize + h.length + TrailerSize
	return Frame{h.generation, h.previous, crc, payload, size}, ""
}

type header struct {
	generation uint64
	previous   uint32
	length     int
}

func parseHeader(data []byte, tag Tag) (header, Problem) {
	n := min(len(data), len(frameMagic))
	if !bytes.Equal(data[:n], frameMagic[:n]) {
		return header{}, NoMagic
	}
	if len(data) < HeaderSize {
		return header{}, Short
	}
	if binary.BigEndian.Uint32(data[HeaderSize-4:]) != Checksum(data[:HeaderSize-4]) {
		return header{}, BadHeader
	}
	if Tag(data[8:16]) != tag {
		return header{}, OtherStore
	}
	h := header{
		generation: binary.BigEndian.Uint64(data[16:]),
		previous:   binary.BigEndian.Uint32(data[24:]),
	}
	length := binary.BigEndian.Uint32(data[28:])
	if length < MinPayload || length > MaxPayload {
		return header{}, BadLength
	}
	h.length = int(length)
	return h, ""
}

// Later gives the offset of the first valid header in data whose generation is greater than
// generation, or -1: what lies before it cannot be the trace of a crash.
func Later(data []byte, tag Tag, generation uint64) int {
	for at := 0; ; {
		i := bytes.Index(data[at:], frameMagic[:])
		if i < 0 {
			return -1
		}
		at += i
		if h, problem := parseHeader(data[at:], tag); problem == "" && h.generation > generation {
			return at
		}
		at++
	}
}

// Sync gives the offset and generation of the first valid header in data at or after from, or -1.
// Readers use it to enter a segment in the middle.
func Sync(data []byte, tag Tag, from int) (at int, generation uint64) {
	for at = from; at < len(data); at++ {
		i := bytes.Index(data[at:], frameMagic[:])
		if i < 0 {
			break
		}
		at += i
		if h, problem := parseHeader(data[at:], tag); problem == "" {
			return at, h.generation
		}
	}
	return -1, 0
}

// Segment is the header of a segment file.
type Segment struct {
	FirstSequence uint64 // of the first event that it may hold; also its name
	Before        uint64 // generation of the last frame before it
	Previous      uint64 // FirstSequence of the segment before it; 0: there was none
	Jump          uint64 // FirstSequence of an earlier segment, so that any is found in few steps; 0: none
	Number        uint64 // of segments before it
}

// AppendSegment appends the header of a segment.
func AppendSegment(dst []byte, tag Tag, s Segment) []byte {
	start := len(dst)
	dst = append(dst, segmentMagic[:]...)
	dst = append(dst, tag[:]...)
	dst = binary.BigEndian.AppendUint64(dst, s.FirstSequence)
	dst = binary.BigEndian.AppendUint64(dst, s.Before)
	dst = binary.BigEndian.AppendUint64(dst, s.Previous)
	dst = binary.BigEndian.AppendUint64(dst, s.Jump)
	dst = binary.BigEndian.AppendUint64(dst, s.Number)
	return binary.BigEndian.AppendUint32(dst, Checksum(dst[start:]))
}

// ParseSegment reads the header of a segment.
func ParseSegment(data []byte, tag Tag) (Segment, error) {
	n := min(len(data), len(segmentMagic))
	switch {
	case !bytes.Equal(data[:n], segmentMagic[:n]):
		return Segment{}, fmt.Errorf("no segment begins here")
	case len(data) < SegmentSize:
		return Segment{}, fmt.Errorf("the bytes end inside the segment header")
	case binary.BigEndian.Uint32(data[SegmentSize-4:]) != Checksum(data[:SegmentSize-4]):
		return Segment{}, fmt.Errorf("the checksum of the segment header is wrong")
	case Tag(data[8:16]) != tag:
		return Segment{}, fmt.Errorf("the segment belongs to another store")
	}
	return Segment{
		FirstSequence: binary.BigEndian.Uint64(data[16:]),
		Before:        binary.BigEndian.Uint64(data[24:]),
		Previous:      binary.BigEndian.Uint64(data[32:]),
		Jump:          binary.BigEndian.Uint64(data[40:]),
		Number:        binary.BigEndian.Uint64(data[48:]),
	}, nil
}
