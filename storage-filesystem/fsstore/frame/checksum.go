package frame

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
)

// shortText is how many bytes are summed with our own tables: those with which the library sums faster still cost more
// to make than most processes would save in their whole life.
const shortText = 256 << 10

// tables are of CRC-32C for eight bytes at a time: the k-th is for a byte that k others follow.
var tables = sync.OnceValue(func() *[8][256]uint32 {
	var t [8][256]uint32
	for i := range t[0] {
		crc := uint32(i)
		for range 8 {
			if crc&1 == 1 {
				crc = crc>>1 ^ crc32.Castagnoli
			} else {
				crc >>= 1
			}
		}
		t[0][i] = crc
	}
	for k := range t[1:] {
		for i, crc := range t[k] {
			t[k+1][i] = crc>>8 ^ t[0][byte(crc)]
		}
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
	t, crc := tables(), ^sum
	for ; len(data) >= 8; data = data[8:] {
		low, high := crc^binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		crc = t[7][byte(low)] ^ t[6][byte(low>>8)] ^ t[5][byte(low>>16)] ^ t[4][low>>24] ^
			t[3][byte(high)] ^ t[2][byte(high>>8)] ^ t[1][byte(high>>16)] ^ t[0][high>>24]
	}
	for _, b := range data {
		crc = t[0][byte(crc)^b] ^ crc>>8
	}
	return ^crc
}
