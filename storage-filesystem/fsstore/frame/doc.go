// Package frame is the byte format of the journal: segments that begin with a header and hold frames,
// one per committed transaction.
//
// It is pure: it turns bytes into frames and back and says precisely what is wrong with bytes that are
// not frames. Which frames count, what is cut and what is corruption is decided by the store. The
// payload of a frame is opaque here. All numbers are big endian.
//
// The magic of a header holds the byte 0xff, which no JSON text can contain, so a payload can never
// be mistaken for a header and a header can be found again behind damaged bytes.
package frame
