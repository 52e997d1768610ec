package frame

import (
	"hash/crc32"
	"testing"
)

// TestChecksumIsOne: short and long texts have the same sum as the library's, also in two parts.
func TestChecksumIsOne(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 23, 512, 4099, shortText, shortText + 1, 3 * shortText} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i*i>>3 + i)
		}
		want := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		if got := Checksum(data); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
		if got := update(Checksum(data[:n/5]), data[n/5:]); got != want {
			t.Errorf("%d bytes in two parts: %08x, want %08x", n, got, want)
		}
	}
}
