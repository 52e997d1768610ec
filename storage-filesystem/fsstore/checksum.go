package fsstore

import (
	"hash/crc32"
	"sync"
)

// shortText is how many bytes are summed one by one: the tables with which the library sums faster cost
// more to make than a hook has instructions.
const shortText = 4 << 10

// castagnoli is the table of CRC-32C for single bytes.
var castagnoli = sync.OnceValue(func() *[256]uint32 {
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

// checksum is CRC-32C.
func checksum(data []byte) uint32 {
	if len(data) > shortText {
		return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	}
	table, crc := castagnoli(), ^uint32(0)
	for _, b := range data {
		crc = table[byte(crc)^b] ^ crc>>8
	}
	return ^crc
}
