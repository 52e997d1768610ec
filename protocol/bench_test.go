package protocol_test

import (
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"message", "session", "receipt", "event"} {
		b.Run(name, func(b *testing.B) {
			document := []byte(documents[name])
			b.ReportAllocs()
			b.SetBytes(int64(len(document)))
			for b.Loop() {
				if err := decodeOnly(name, document); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, name := range []string{"message", "session", "receipt"} {
		b.Run(name, func(b *testing.B) {
			r, err := protocol.DecodeRecord(protocol.Kind(name), []byte(documents[name]))
			if err != nil {
				b.Fatal(err)
			}
			buf := make([]byte, 0, 4096)
			b.ReportAllocs()
			for b.Loop() {
				if buf, err = protocol.AppendRecord(buf[:0], r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func decodeOnly(name string, document []byte) error {
	if name == "event" {
		_, err := protocol.DecodeEvent(document)
		return err
	}
	_, err := protocol.DecodeRecord(protocol.Kind(name), document)
	return err
}
