package frame_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
)

var (
	tag   = frame.NewTag("workspace", "2026-11-30T09:00:00.000Z")
	other = frame.NewTag("workspace", "2026-11-30T09:00:00.001Z")
)

// chain gives the bytes of frames with generations first, first+1, ... and the offset of each.
func chain(first uint64, payloads ...string) (data []byte, offsets []int, crcs []uint32) {
	previous := uint32(0)
	for i, payload := range payloads {
		offsets = append(offsets, len(data))
		data, previous = frame.Append(data, tag, first+uint64(i), previous, []byte(payload))
		crcs = append(crcs, previous)
	}
	return data, offsets, crcs
}

func TestParse(t *testing.T) {
	data, offsets, crcs := chain(7, `{}`, `{"a":1}`, `[1,2,3]`)
	want := []string{`{}`, `{"a":1}`, `[1,2,3]`}
	previous := uint32(0)
	for i, at := range offsets {
		f, problem := frame.Parse(data[at:], tag, uint64(7+i), &previous)
		if problem != "" || string(f.Payload) != want[i] || f.Generation != uint64(7+i) || f.CRC != crcs[i] || f.Previous != previous {
			t.Fatalf("frame %d: %+v, %q", i, f, problem)
		}
		if f.Size != frame.HeaderSize+len(want[i])+frame.TrailerSize {
			t.Errorf("frame %d has size %d", i, f.Size)
		}
		previous = f.CRC
	}
}

func TestProblems(t *testing.T) {
	data, offsets, crcs := chain(1, `{"first":true}`, `{"second":true}`)
	second := data[offsets[1]:]
	wrong := crcs[0] + 1
	for name, c := range map[string]struct {
		data     []byte
		tag      frame.Tag
		gen      uint64
		previous *uint32
		want     frame.Problem
	}{
		"nothing":           {nil, tag, 2, nil, frame.Short},
		"part of a header":  {second[:20], tag, 2, nil, frame.Short},
		"part of a payload": {second[:frame.HeaderSize+3], tag, 2, nil, frame.Short},
		"no frame":          {[]byte(`{"json":true}`), tag, 2, nil, frame.NoMagic},
		"zeros":             {make([]byte, 100), tag, 2, nil, frame.NoMagic},
		"other store":       {second, other, 2, nil, frame.OtherStore},
		"other generation":  {second, tag, 3, nil, frame.OutOfOrder},
		"other predecessor": {second, tag, 2, &wrong, frame.BrokenChain},
		"its predecessor":   {second, tag, 2, &crcs[0], ""},
	} {
		if _, problem := frame.Parse(c.data, c.tag, c.gen, c.previous); problem != c.want {
			t.Errorf("%s: %q, want %q", name, problem, c.want)
		}
	}
}

// TestEveryBit flips every bit of a frame: none of them goes unnoticed, and one in a header is found there,
// so that a length that was damaged is never believed.
func TestEveryBit(t *testing.T) {
	data, _, _ := chain(1, `{"payload":"of some length"}`)
	for bit := range 8 * len(data) {
		damaged := slices.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		_, problem := frame.Parse(damaged, tag, 1, nil)
		if problem == "" {
			t.Fatalf("bit %d: not noticed", bit)
		}
		if inHeader := bit/8 < frame.HeaderSize; inHeader && problem != frame.BadHeader && problem != frame.NoMagic {
			t.Fatalf("bit %d of the header: %q", bit, problem)
		}
	}
}

// TestChainCoversContent: two frames of one length differ in their CRC, so that the chain says more than how
// long the frames before were. (A CRC over data that ends with its own CRC would not.)
func TestChainCoversContent(t *testing.T) {
	_, _, a := chain(1, `{"a":1}`)
	_, _, b := chain(1, `{"b":1}`)
	if a[0] == b[0] {
		t.Error("frames with other payloads have one CRC")
	}
}

func TestLaterAndSync(t *testing.T) {
	data, offsets, _ := chain(4, `{"n":4}`, `{"n":5}`, `{"n":6}`)
	damaged := slices.Clone(data)
	damaged[offsets[1]+frame.HeaderSize] ^= 1
	if at := frame.Later(damaged[offsets[1]:], tag, 5); at != offsets[2]-offsets[1] {
		t.Errorf("a later frame was found at %d", at)
	}
	if at := frame.Later(damaged[offsets[1]:], tag, 6); at != -1 {
		t.Errorf("a frame later than the last was found at %d", at)
	}
	if at := frame.Later(damaged, other, 0); at != -1 {
		t.Errorf("a frame of another store was found at %d", at)
	}
	for from := range len(data) {
		at, generation := frame.Sync(data, tag, from)
		want, wantGeneration := -1, uint64(0)
		for i, offset := range offsets {
			if offset >= from {
				want, wantGeneration = offset, uint64(4+i)
				break
			}
		}
		if at != want || generation != wantGeneration {
			t.Fatalf("from %d: frame %d at %d, want %d at %d", from, generation, at, wantGeneration, want)
		}
	}
}

func TestSegment(t *testing.T) {
	want := frame.Segment{FirstSequence: 12, Before: 7, Previous: 3, Jump: 1, Number: 4}
	data := frame.AppendSegment(nil, tag, want)
	if len(data) != frame.SegmentSize {
		t.Fatalf("%d bytes", len(data))
	}
	got, err := frame.ParseSegment(data, tag)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for bit := range 8 * len(data) {
		damaged := slices.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		if _, err := frame.ParseSegment(damaged, tag); err == nil {
			t.Fatalf("bit %d: not noticed", bit)
		}
	}
	for n := range len(data) {
		if _, err := frame.ParseSegment(data[:n], tag); err == nil {
			t.Fatalf("%d bytes are a header", n)
		}
	}
	if _, err := frame.ParseSegment(data, other); err == nil {
		t.Error("the header of another store was accepted")
	}
}

// FuzzParse feeds arbitrary bytes: what is accepted is byte for byte what Append writes.
func FuzzParse(f *testing.F) {
	data, _, _ := chain(1, `{"seed":1}`)
	f.Add(data, uint64(1))
	f.Add(data[:10], uint64(1))
	f.Add([]byte{}, uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, generation uint64) {
		got, problem := frame.Parse(data, tag, generation, nil)
		if problem == "" {
			again, crc := frame.Append(nil, tag, generation, got.Previous, got.Payload)
			if crc != got.CRC || !bytes.Equal(again, data[:got.Size]) {
				t.Fatalf("accepted %x, which is not what is written", data[:got.Size])
			}
		}
		frame.Later(data, tag, generation)
		frame.Sync(data, tag, 0)
		_, _ = frame.ParseSegment(data, tag)
	})
}
