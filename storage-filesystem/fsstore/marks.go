package fsstore

import (
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// maxNumber bounds every number in our files: what each JSON reader holds exactly.
const maxNumber = 1 << 53

// place is the state of the journal after one frame. The zero place is an empty journal.
type place struct {
	Generation uint64 // of the frame
	Sequence   uint64 // of the last event up to the frame
	Segment    uint64 // first sequence of the segment in which the journal goes on; 0: there is none yet
	Start      int64  // offset of the frame in that segment; 0: the frame lies in an earlier one
	End        int64  // offset at which the next frame begins
	CRC        uint32 // of the frame
}

// mark is a place that a process of one boot vouches for.
type mark struct {
	bootID string
	place
}

// markJSON is the form of head.json, applied.json and checkpoint.json.
type markJSON struct {
	bootID                   string
	generation, sequence     int64
	segment, start, end, crc int64
}

func markObject(name string) *strictjson.Object[markJSON] {
	number := strictjson.Int[int64](0, maxNumber)
	return &strictjson.Object[markJSON]{
		Name: name, Doc: "A place in the journal.", MaxBytes: maxMark,
		Members: []strictjson.Member[markJSON]{
			strictjson.Field("bootId", "boot that vouches for it; empty: it is durable or the boot is not known", func(m *markJSON) *string { return &m.bootID }, strictjson.Text(200)),
			strictjson.Field("generation", "of the last frame up to here", func(m *markJSON) *int64 { return &m.generation }, number),
			strictjson.Field("sequence", "of the last event up to here", func(m *markJSON) *int64 { return &m.sequence }, number),
			strictjson.Field("segment", "first sequence of the segment in which the journal goes on; 0: none", func(m *markJSON) *int64 { return &m.segment }, number),
			strictjson.Field("start", "offset of that frame; 0: it lies in an earlier segment", func(m *markJSON) *int64 { return &m.start }, number),
			strictjson.Field("end", "offset at which the next frame begins", func(m *markJSON) *int64 { return &m.end }, number),
			strictjson.Field("crc", "of that frame", func(m *markJSON) *int64 { return &m.crc }, strictjson.Int[int64](0, 1<<32-1)),
		},
	}
}

var markFormat = markObject("mark")

func (m *mark) encode() ([]byte, error) {
	j := m.json()
	return markFormat.AppendIndent(nil, &j)
}

func (m *mark) json() markJSON {
	return markJSON{m.bootID, int64(m.Generation), int64(m.Sequence), int64(m.Segment), m.Start, m.End, int64(m.CRC)}
}

func (m *markJSON) place() place {
	return place{uint64(m.generation), uint64(m.sequence), uint64(m.segment), m.start, m.end, uint32(m.crc)}
}

// readMark gives the mark in a file, or nil if there is none that can be read as one: such a file was
// lost or torn by a power cut, or damaged, and says nothing.
func readMark(dir vfs.Dir, name string) (*mark, error) {
	raw, err := dir.ReadFile(name, maxMark)
	if vfs.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(name, err)
	}
	m, err := markFormat.Decode(raw)
	if err != nil {
		return nil, nil
	}
	return &mark{m.bootID, m.place()}, nil
}

// generationOf is 0 for a mark that says nothing.
func (m *mark) generationOf() uint64 {
	if m == nil {
		return 0
	}
	return m.Generation
}

// placeOf is the empty journal for a mark that says nothing.
func (m *mark) placeOf() place {
	if m == nil {
		return place{}
	}
	return m.place
}

// ours says that m was written in this boot, so that what it vouches for has not passed a power cut
// since. In doubt it was not.
func (s *Store) ours(m *mark) bool { return m != nil && s.bootID != "" && m.bootID == s.bootID }
