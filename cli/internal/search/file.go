package search

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"unsafe"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// The file: magic, CRC-32C of what follows, cursor, number of messages, then per message its five texts with their lengths
// and its time. Numbers are little endian or unsigned varints.
const (
	magic    = "acc-search-1\n"
	header   = len(magic) + 4
	maxBytes = 512 << 20 // a larger corpus is not kept, and is read anew each time
)

var errDamaged = errors.New("the search cache is damaged")

// Load reads a corpus. An absent, damaged or foreign file gives an empty one, which takes everything in
// again.
func Load(path string) *Corpus {
	data, err := privatefile.Read(path, maxBytes)
	if err != nil {
		return New()
	}
	c, err := decode(data)
	if err != nil {
		return New()
	}
	return c
}

// Save keeps a corpus. What cannot be kept is an error that a reader may ignore.
func (c *Corpus) Save(base, path string) error {
	data := c.encode()
	if len(data) > maxBytes {
		return protocol.DataError("", "the room has too many messages to keep a search cache of them")
	}
	err := privatefile.Write(base, path, data)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a sandbox may forbid it; everything is read anew then
	}
	return err
}

func (c *Corpus) encode() []byte {
	data := make([]byte, header, header+1024*len(c.entries))
	copy(data, magic)
	data = binary.AppendUvarint(data, c.Cursor)
	data = binary.AppendUvarint(data, uint64(len(c.entries)))
	for _, e := range c.entries {
		data = binary.AppendVarint(data, e.sentAt)
		for _, text := range [...]string{e.id, e.from, e.kind, e.subject, e.body} {
			data = binary.AppendUvarint(data, uint64(len(text)))
			data = append(data, text...)
		}
	}
	binary.LittleEndian.PutUint32(data[len(magic):], crc32.Checksum(data[header:], crc32.MakeTable(crc32.Castagnoli)))
	return data
}

func decode(data []byte) (*Corpus, error) {
	if len(data) < header || string(data[:len(magic)]) != magic ||
		binary.LittleEndian.Uint32(data[len(magic):]) != crc32.Checksum(data[header:], crc32.MakeTable(crc32.Castagnoli)) {
		return nil, errDamaged
	}
	r := reader{data: data[header:]}
	c := New()
	c.Cursor = r.number()
	c.block = unsafe.String(unsafe.SliceData(data), len(data))
	count := min(r.number(), uint64(len(r.data)/6)) // a message takes at least six bytes
	c.entries, c.starts = make([]entry, 0, count), make([]int, 0, count)
	for len(r.data) > 0 && !r.failed {
		c.starts = append(c.starts, len(data)-len(r.data))
		e := entry{sentAt: r.signed(), id: r.text(), from: r.text(), kind: r.text(), subject: r.text(), body: r.text()}
		c.entries = append(c.entries, e)
	}
	if r.failed {
		return nil, errDamaged
	}
	return c, nil
}

// reader takes values off the front of data.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	return n * r.take(size)
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.data)
	return n * int64(r.take(size))
}

// take skips size bytes and gives 1, or 0 when they are not there.
func (r *reader) take(size int) uint64 {
	if size <= 0 || size > len(r.data) {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[size:]
	return 1
}

// text shares the bytes of the block, which nobody changes.
func (r *reader) text() string {
	n := r.number()
	if r.failed || n > uint64(len(r.data)) {
		r.failed, r.data = true, nil
		return ""
	}
	if n == 0 {
		return ""
	}
	text := unsafe.String(&r.data[0], int(n))
	r.data = r.data[n:]
	return text
}
