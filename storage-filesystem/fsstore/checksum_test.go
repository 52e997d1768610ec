package fsstore

import (
	"bytes"
	"hash/crc32"
	"testing"
)

// TestChecksumIsOne: short and long texts have the same sum as the library's.
func TestChecksumIsOne(t *testing.T) {
	for _, n := range []int{0, 1, 9, 512, shortText, shortText + 1} {
		data := bytes.Repeat([]byte{0xa5, 0, 1}, n/3+1)[:n]
		if got, want := checksum(data), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
}
