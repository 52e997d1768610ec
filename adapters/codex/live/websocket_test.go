package live

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// scripted is a connection whose other side said everything already.
type scripted struct {
	io.Reader
	wrote bytes.Buffer
}

func (s *scripted) Write(p []byte) (int, error) { return s.wrote.Write(p) }
func (s *scripted) Close() error                { return nil }

// unmasked writes a frame as a server does.
func unmasked(head byte, text string) []byte {
	frame := []byte{head}
	switch n := len(text); {
	case n < 126:
		frame = append(frame, byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, 126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 127), uint64(n))
	}
	return append(frame, text...)
}

// reference reads messages by the letter of RFC 6455, without any of the client's code: the whole messages up
// to the first thing that a server must not send or that this client does not take.
func reference(in []byte) (messages []string) {
	var message []byte
	begun := false
	for len(in) >= 2 {
		fin, reserved, kind, masked, size := in[0]&0x80 != 0, in[0]&0x70, in[0]&0x0f, in[1]&0x80 != 0, uint64(in[1]&0x7f)
		in = in[2:]
		switch {
		case size == 126 && len(in) >= 2:
			size, in = uint64(binary.BigEndian.Uint16(in)), in[2:]
		case size == 127 && len(in) >= 8:
			size, in = binary.BigEndian.Uint64(in), in[8:]
		case size > 125:
			return messages
		}
		if reserved != 0 || masked || size > uint64(len(in)) || size > maxMessage {
			return messages
		}
		data := in[:size]
		in = in[size:]
		switch kind {
		case frameMore, frameText:
			if begun != (kind == frameMore) {
				return messages
			}
			begun = !fin
			if message = append(message, data...); len(message) > maxMessage {
				return messages
			}
			if fin {
				messages, message = append(messages, string(message)), nil
			}
		case framePing, framePong:
			if size > 125 || !fin {
				return messages
			}
		default:
			return messages
		}
	}
	return messages
}

// FuzzReceive: whatever a server sends, the client reads exactly the whole messages that the protocol gives, then
// ends with an error; it answers each ping with its own bytes and writes nothing else.
func FuzzReceive(f *testing.F) {
	for _, in := range [][]byte{
		unmasked(frameText|0x80, `{"id":1}`),
		append(unmasked(frameText, `{"id"`), unmasked(frameMore|0x80, `:1}`)...),
		append(append(unmasked(frameText, `a`), unmasked(framePing|0x80, "are you there")...), unmasked(frameMore|0x80, `b`)...),
		unmasked(frameText|0x80, string(bytes.Repeat([]byte("x"), 300))),
		{frameText | 0x80, 127, 0, 0, 0, 0, 0, 0, 0, 3, 'a', 'b', 'c'},
		unmasked(frameClose|0x80, "\x03\xe8bye"),
		unmasked(frameMore|0x80, "a continuation of nothing"),
		append(unmasked(frameText, "a"), unmasked(frameText|0x80, "b")...),
		unmasked(2|0x80, "binary"),
		{frameText | 0x80, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		{frameText | 0x80, 127, 0, 0, 0, 0, 0, 0x80, 0, 1},
		{framePing, 0},
		{framePing | 0x80, 126, 0, 126},
		{frameText | 0x80, 0x80, 1, 2, 3, 4},
		{frameText | 0xc0, 0},
		{frameText | 0x80},
	} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := reference(in)
		conn := &scripted{Reader: bytes.NewReader(in)}
		s := &socket{conn: conn, in: bufio.NewReader(conn)}
		for i := 0; ; i++ {
			got, err := s.receive()
			if err != nil {
				if i != len(want) {
					t.Errorf("%d messages of %d, then %v", i, len(want), err)
				}
				break
			}
			if i >= len(want) || string(got) != want[i] {
				t.Fatalf("message %d is %q of %q", i, got, want)
			}
			_, _ = replies.Decode(got) // never panics
			_, _ = threadReads.Decode(got)
		}
		pongs := bytes.NewReader(conn.wrote.Bytes())
		for pongs.Len() > 0 {
			head, _ := pongs.ReadByte()
			size, err := pongs.ReadByte()
			if err != nil || head != framePong|0x80 || size&0x80 == 0 || size&0x7f > 125 {
				t.Fatalf("wrote %x", conn.wrote.Bytes())
			}
			if _, err := pongs.Seek(4+int64(size&0x7f), io.SeekCurrent); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzUpgrade: nothing but the answer to this very request makes a WebSocket, and reading it takes no more than
// the limit.
func FuzzUpgrade(f *testing.F) {
	const accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
	for _, head := range []string{
		"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n",
		"HTTP/1.1 101\nsec-websocket-accept:" + accept + "\n\n",
		"HTTP/1.1 200 OK\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n",
		"HTTP/1.1 101 x\r\n\r\n",
		"HTTP/1.1 101 x\r\nSec-WebSocket-Accept: other\r\n\r\n",
		"", "\r\n\r\n", "HTTP/1.1 101",
	} {
		f.Add([]byte(head))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		conn := &scripted{Reader: bytes.NewReader(head)}
		s := &socket{conn: conn, in: bufio.NewReader(conn)}
		if err := s.accepted(accept); err != nil {
			return
		}
		if !bytes.HasPrefix(head, []byte("HTTP/1.1 101")) || !bytes.Contains(head, []byte(accept)) || !bytes.Contains(head, []byte("\n")) {
			t.Errorf("%q is an answer", head)
		}
	})
}

// TestLongHead: a head without an end is not read for ever.
func TestLongHead(t *testing.T) {
	endless := io.MultiReader(bytes.NewReader([]byte("HTTP/1.1 101 x\r\n")), endlessly("a: b\r\n"))
	s := &socket{in: bufio.NewReader(endless)}
	if err := s.accepted("x"); !errors.Is(err, errWebSocket) {
		t.Errorf("%v", err)
	}
	s = &socket{in: bufio.NewReader(endlessly("x"))}
	if err := s.accepted("x"); !errors.Is(err, errWebSocket) {
		t.Errorf("one line: %v", err)
	}
}

// endlessly reads a text over and over.
type endlessly string

func (e endlessly) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return max(n, 1), nil
}
