package search

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// FuzzDecode reads any bytes behind a right checksum: they are refused, or written again as they were.
func FuzzDecode(f *testing.F) {
	c := New()
	f.Add(c.encode()[header:])
	c.entries = append(c.entries, entry{id: "m", from: "a", kind: "note", sentAt: -1, subject: "s", body: "b"})
	f.Add(c.encode()[header:])
	f.Add([]byte{0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		data := append([]byte(magic), 0, 0, 0, 0)
		data = append(data, payload...)
		binary.LittleEndian.PutUint32(data[len(magic):], crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli)))
		c, err := decode(data)
		if err != nil {
			return
		}
		again, err := decode(c.encode())
		if err != nil || again.Len() != c.Len() || !bytes.Equal(again.encode(), c.encode()) {
			t.Fatalf("%x is read as %d messages and then as something else: %v", payload, c.Len(), err)
		}
	})
}
