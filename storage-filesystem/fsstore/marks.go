package fsstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
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
	check                    string
}

func markObject(name string) *strictjson.Object[markJSON] {
	number := strictjson.Int[int64](0, maxNumber)
	return &strictjson.Object[markJSON]{
		Name: name, Doc: "A place in the journal.", MaxBytes: maxMark,
		Members: func() []strictjson.Member[markJSON] {
			return []strictjson.Member[markJSON]{
				strictjson.Field("bootId", "boot that vouches for it; empty: it is durable or the boot is not known", func(m *markJSON) *string { return &m.bootID }, strictjson.Text(200)),
				strictjson.Field("generation", "of the last frame up to here", func(m *markJSON) *int64 { return &m.generation }, number),
				strictjson.Field("sequence", "of the last event up to here", func(m *markJSON) *int64 { return &m.sequence }, number),
				strictjson.Field("segment", "first sequence of the segment in which the journal goes on; 0: none", func(m *markJSON) *int64 { return &m.segment }, number),
				strictjson.Field("start", "offset of that frame; 0: it lies in an earlier segment", func(m *markJSON) *int64 { return &m.start }, number),
				strictjson.Field("end", "offset at which the next frame begins", func(m *markJSON) *int64 { return &m.end }, number),
				strictjson.Field("crc", "of that frame", func(m *markJSON) *int64 { return &m.crc }, strictjson.Int[int64](0, 1<<32-1)),
				strictjson.Optional("check", "CRC-32C of the compact form without this member: a file that was read while it was reused, or torn by a power cut, is none", func(m *markJSON) *string { return &m.check }, strictjson.Text(8)),
			}
		},
	}
}

var markFormat = markObject("mark")

// markSize is how many bytes a mark has in its file: always the same, so that it can be written over an
// older one in place.
const markSize = 512

func (m *mark) encode() ([]byte, error) {
	j := m.json()
	var err error
	if j.check, err = j.sum(); err != nil {
		return nil, err
	}
	raw, err := markFormat.AppendIndent(nil, &j)
	if err != nil || len(raw) > markSize {
		return nil, fmt.Errorf("a mark of %d bytes: %w", len(raw), err)
	}
	raw = append(raw, bytes.Repeat([]byte(" "), markSize-1-len(raw))...)
	return append(raw, '\n'), nil
}

// sum gives the value of check.
func (j markJSON) sum() (string, error) {
	j.check = ""
	compact, err := markFormat.Append(nil, &j)
	return fmt.Sprintf("%08x", frame.Checksum(compact)), err
}

func (m *mark) json() markJSON {
	return markJSON{m.bootID, int64(m.Generation), int64(m.Sequence), int64(m.Segment), m.Start, m.End, int64(m.CRC), ""}
}

func (j *markJSON) place() place {
	return place{uint64(j.generation), uint64(j.sequence), uint64(j.segment), j.start, j.end, uint32(j.crc)}
}

// readMark gives the mark in a file, or nil if there is none that can be read as one: such a file was
// lost or torn by a power cut, or damaged, and says nothing.
func readMark(dir vfs.Dir, name string) (*mark, error) {
	for range maxMarkReads {
		m, current, err := readNamed(dir, name)
		if vfs.Missing(err) {
			return nil, nil
		}
		if err != nil {
			return nil, readError(name, err)
		}
		if current {
			return m, nil
		}
	}
	return nil, protocol.ConflictError("", name+" changes faster than it can be read").WithHint("try again")
}

const maxMarkReads = 16

// readNamed reads a mark and says whether it is one that counts. A reader that is held up between opening a file and
// reading it may see the mark of a commit that is being written over it. Of head that is only valid once the name leads
// there again, and of others a part may be seen.
func readNamed(dir vfs.Dir, name string) (m *mark, current bool, err error) {
	f, err := dir.Open(name, vfs.Read)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	raw := make([]byte, markSize)
	n, err := f.ReadAt(raw, 0)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	m = decodeMark(raw[:n])
	if m != nil && name != headFile {
		return m, true, nil // what it vouches for was done before it was written
	}
	named, err := dir.Stat(name)
	if vfs.Missing(err) {
		return nil, false, nil // it was deleted: the next attempt says so
	}
	return m, named.ID == f.ID(), err
}

func decodeMark(raw []byte) *mark {
	j, err := markFormat.Decode(raw)
	if err != nil {
		return nil
	}
	if sum, err := j.sum(); err != nil || sum != j.check {
		return nil
	}
	return &mark{j.bootID, j.place()}
}

// replaceMark publishes m as name. If what is there is known to be of this boot, the file before it still
// lies under a second name, and is written over and swapped in. Nothing is made and
// nothing is given back to the file system, which on some of them takes longer than the flush of a commit.
func replaceMark(dir vfs.Dir, name string, m *mark, known bool) error {
	raw, err := m.encode()
	if err != nil {
		return err
	}
	spare := name + spareSuffix
	if known {
		if err = overwrite(dir, spare, raw); err == nil {
			err = dir.Exchange(name, spare)
		}
		if err == nil {
			return nil
		}
	}
	// After a power cut both names may lead to one file, which must not be written over.
	if err := dir.Remove(spare); err != nil && !vfs.Missing(err) {
		return err
	}
	return replace(dir, "", name, raw)
}

const spareSuffix = ".spare"

// overwrite puts data of the size that a file has already into it, or makes it.
func overwrite(dir vfs.Dir, name string, data []byte) error {
	f, err := dir.Open(name, vfs.Write)
	if vfs.Missing(err) {
		return replace(dir, "", name, data)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Close())
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
