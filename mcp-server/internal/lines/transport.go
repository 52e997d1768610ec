package lines

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxLine is how long a line may be, in bytes: a message body of full length in which every byte is
// escaped fits, with room to spare.
const MaxLine = 1 << 20

// Drain is how long calls that came before the end of the input may take to be answered.
const Drain = 1500 * time.Millisecond

// Transport is an mcp.Transport over a pair of streams. It can be connected once.
type Transport struct {
	in      io.Reader
	out     io.Writer
	writing sync.Mutex

	ended   chan struct{} // closed when the input has ended
	endOnce sync.Once
	closed  chan struct{}
	once    sync.Once
	next    chan jsonrpc.Message

	mu      sync.Mutex
	pending int           // calls without an answer
	idle    chan struct{} // closed when pending is 0 after the input has ended
}

var (
	_ mcp.Transport  = (*Transport)(nil)
	_ mcp.Connection = (*Transport)(nil)
)

// New gives a transport that reads in and writes out. It owns neither.
func New(in io.Reader, out io.Writer) *Transport {
	return &Transport{in: in, out: out, ended: make(chan struct{}), closed: make(chan struct{}), next: make(chan jsonrpc.Message), idle: make(chan struct{})}
}

// Connect implements mcp.Transport.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	go t.read()
	return t, nil
}

// Ended is closed when the input has ended: nobody will ask for anything any more.
func (t *Transport) Ended() <-chan struct{} { return t.ended }

// SessionID implements mcp.Connection; a pair of streams has no sessions.
func (*Transport) SessionID() string { return "" }

// Read implements mcp.Connection. At the end of the input it first lets the calls that came before be
// answered: the library stops writing once it has seen the end.
func (t *Transport) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.closed:
		return nil, io.EOF
	case m := <-t.next:
		return m, nil
	case <-t.ended:
	}
	patience := time.NewTimer(Drain)
	defer patience.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.closed:
	case <-t.idle:
	case <-patience.C:
	}
	return nil, io.EOF
}

// Write implements mcp.Connection.
func (t *Transport) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	t.writing.Lock()
	_, err = t.out.Write(append(data, '\n'))
	t.writing.Unlock()
	if _, answer := m.(*jsonrpc.Response); answer {
		t.count(-1)
	}
	return err
}

// Close implements mcp.Connection.
func (t *Transport) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}

// count keeps how many calls wait for their answer.
func (t *Transport) count(change int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending += change
	t.rest()
}

// rest tells Read that nothing is left to answer. The caller holds mu.
func (t *Transport) rest() {
	select {
	case <-t.ended:
		if t.pending <= 0 {
			select {
			case <-t.idle:
			default:
				close(t.idle)
			}
		}
	default:
	}
}

// read hands on each message of the input and answers every line that is none.
func (t *Transport) read() {
	defer t.end()
	in := bufio.NewReaderSize(t.in, 64<<10)
	for {
		line, tooLong, err := readLine(in)
		switch {
		case tooLong:
			t.refuse(&refusal{nil, jsonrpc.CodeInvalidRequest, "the line is longer than " + strconv.Itoa(MaxLine) + " bytes"})
		case len(bytes.TrimSpace(line)) > 0:
			if !t.handOn(line) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (t *Transport) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endOnce.Do(func() { close(t.ended) })
	t.rest()
}

// handOn says whether to read on.
func (t *Transport) handOn(line []byte) bool {
	m, refused := parse(line)
	if refused != nil {
		t.refuse(refused)
		return true
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		t.count(1)
	}
	select {
	case t.next <- m:
		return true
	case <-t.closed:
		return false
	}
}

// refuse answers a line that never reaches the library. That the answer cannot be written is for the
// next answer to notice.
func (t *Transport) refuse(r *refusal) {
	t.writing.Lock()
	defer t.writing.Unlock()
	_ = r.write(t.out)
}

// readLine gives the next line without its end. One that is too long is read to its end and not kept.
// At the end of the input the rest is a line too.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !tooLong && len(line)+len(part) > MaxLine+1 {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		return bytes.TrimSuffix(line, []byte("\n")), tooLong, err
	}
}
