package live

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/localsocket"
)

// socket is the client side of a WebSocket (RFC 6455): whole text messages, nothing else.
type socket struct {
	conn io.ReadWriteCloser
	in   *bufio.Reader
}

const (
	maxHead    = 8 << 10 // bytes of the answer to the upgrade; a line of it fits the reader's buffer
	maxMessage = 8 << 20 // bytes of one message
	acceptKey  = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
)

// The frame kinds of the protocol.
const (
	frameMore  = 0
	frameText  = 1
	frameClose = 8
	framePing  = 9
	framePong  = 10
)

var errWebSocket = errors.New("the server does not speak the protocol")

// dial connects to a verified socket file. The deadline of ctx holds for everything after.
func dial(ctx context.Context, path string, peer localsocket.Peer) (*socket, error) {
	conn, err := localsocket.Dial(ctx, path, peer)
	if err != nil {
		return nil, err
	}
	s, err := upgrade(conn)
	if err != nil {
		_ = conn.Close()
	}
	return s, err
}

// upgrade makes a WebSocket of a connection.
func upgrade(conn io.ReadWriteCloser) (*socket, error) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	key := base64.StdEncoding.EncodeToString(nonce[:])
	const head = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
	if _, err := io.WriteString(conn, head+key+"\r\n\r\n"); err != nil {
		return nil, err
	}
	s := &socket{conn: conn, in: bufio.NewReader(conn)}
	sum := sha1.Sum([]byte(key + acceptKey))
	if err := s.accepted(base64.StdEncoding.EncodeToString(sum[:])); err != nil {
		return nil, err
	}
	return s, nil
}

// accepted reads the answer to the upgrade.
func (s *socket) accepted(accept string) error {
	confirmed := false
	for total, first := 0, true; ; first = false {
		read, err := s.in.ReadSlice('\n')
		if total += len(read); total > maxHead || errors.Is(err, bufio.ErrBufferFull) {
			return errWebSocket
		}
		if err != nil {
			return err
		}
		line := strings.TrimRight(string(read), "\r\n")
		name, value, _ := strings.Cut(line, ":")
		switch {
		case first:
			if !strings.HasPrefix(line, "HTTP/1.1 101") {
				return errWebSocket
			}
		case line == "" && confirmed:
			return nil
		case line == "":
			return errWebSocket
		case strings.EqualFold(name, "Sec-WebSocket-Accept"):
			confirmed = strings.TrimSpace(value) == accept
		}
	}
}

// send writes one text message.
func (s *socket) send(text []byte) error { return s.frame(frameText, text) }

func (s *socket) frame(kind byte, data []byte) error {
	frame := []byte{0x80 | kind}
	switch n := len(data); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(n))
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // never fails
	frame = append(frame, mask[:]...)
	for i, b := range data {
		frame = append(frame, b^mask[i%4])
	}
	_, err := s.conn.Write(frame)
	return err
}

// receive reads one whole message, answering pings on the way. The end of the connection is io.EOF.
func (s *socket) receive() ([]byte, error) {
	var message bytes.Buffer
	for begun := false; ; {
		kind, last, err := s.part(&message)
		switch {
		case err != nil:
			return nil, err
		case kind >= frameClose:
			continue
		case begun != (kind == frameMore):
			return nil, errWebSocket
		case last:
			return message.Bytes(), nil
		}
		begun = true
	}
}

// part reads one frame; what belongs to the message is appended to it.
func (s *socket) part(message *bytes.Buffer) (kind byte, last bool, err error) {
	var head [2]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return 0, false, err
	}
	kind, last = head[0]&0x0f, head[0]&0x80 != 0
	size := uint64(head[1] & 0x7f)
	switch size {
	case 126:
		var long [2]byte
		_, err = io.ReadFull(s.in, long[:])
		size = uint64(binary.BigEndian.Uint16(long[:]))
	case 127:
		var long [8]byte
		_, err = io.ReadFull(s.in, long[:])
		size = binary.BigEndian.Uint64(long[:])
	}
	control := kind >= frameClose
	switch {
	case err != nil:
		return 0, false, err
	case head[1]&0x80 != 0, head[0]&0x70 != 0, control && (size > 125 || !last), size > maxMessage-uint64(message.Len()):
		return 0, false, errWebSocket
	}
	into := message
	if control {
		into = &bytes.Buffer{}
	}
	if _, err := io.CopyN(into, s.in, int64(size)); err != nil {
		return 0, false, err
	}
	switch kind {
	case frameMore, frameText, framePong:
	case framePing:
		err = s.frame(framePong, into.Bytes())
	case frameClose:
		err = io.EOF
	default:
		err = errWebSocket
	}
	return kind, last, err
}

func (s *socket) close() {
	_ = s.frame(frameClose, nil)
	_ = s.conn.Close()
}
