package frame

import (
	"bytes"
	"hash/crc32"
	"testing"
)

// TestChecksumIsOne: short and long texts have the same sum as the library's, also in two parts.
func TestChecksumIsOne(t *testing.T) {
	for _, n := range []int{0, 1, 9, 512, shortText, shortText + 1, 3 * shortText} {
		data := bytes.Repeat([]byte{0xa5, 0, 1}, n/3+1)[:n]
		want := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		if got := Checksum(data); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
		if got := update(Checksum(data[:n/5]), data[n/5:]); got != want {
			t.Errorf("%d bytes in two parts: %08x, want %08x", n, got, want)
		}
	}
}
