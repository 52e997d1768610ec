package frame

import (
	"hash/crc32"
	"sync"
)

// shortText is how many bytes are summed one by one: the tables with which the library sums faster cost
// more to make than a hook that reads a few frames would save.
const shortText = 4 << 10

// table is of CRC-32C for single bytes.
var table = sync.OnceValue(func() *[256]uint32 {
	var t [256]uint32
	for i := range t {
		crc := uint32(i)
		for range 8 {
			if crc&1 == 1 {
				crc = crc>>1 ^ crc32.Castagnoli
			} else {
				crc >>= 1
			}
		}
		t[i] = crc
	}
	return &t
})

// Checksum is CRC-32C.
func Checksum(data []byte) uint32 { return update(0, data) }

// update adds data to the sum of what came before it.
func update(sum uint32, data []byte) uint32 {
	if len(data) > shortText {
		return crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), data)
	}
	t, crc := table(), ^sum
	for _, b := range data {
		crc = t[byte(crc)^b] ^ crc>>8
	}
	return ^crc
}
