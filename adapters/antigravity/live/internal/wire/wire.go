// Package wire is what the hooks' side and the relay of one conversation say to each other: the relay's
// private record, and one line each way over its socket.
package wire

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Contract names the protocol, and MinimumVersion the oldest client whose command was described.
const (
	Contract       = "antigravity-agentapi-relay-v1"
	MinimumVersion = "1.2.7"
)

// Limits in bytes.
const (
	MaxLine   = 16 << 10
	maxRecord = 16 << 10
	maxPath   = 4096
	nonceHex  = 64
)

// Relay is the record of a running relay. The relay writes it and drops it when it ends; one that was
// killed leaves a record whose lease passes.
type Relay struct {
	Socket        string
	Nonce         string // whoever asks the relay must know it
	PID           int    // of the relay
	GenerationRef string // of the acc session that it serves
	LeaseUntil    time.Time
}

// The tables are made at their first use: every hook links this package, and few conversations have a relay.

// RecordID is where in the vault the record of a session generation's relay lies.
func RecordID(generationRef string) string { return "antigravity_relay_" + generationRef }

var relays = sync.OnceValue(func() *strictjson.Object[Relay] {
	return &strictjson.Object[Relay]{
		Name: "relay", Doc: "A relay that runs in the shell of an Antigravity conversation.", MaxBytes: maxRecord,
		Members: func() []strictjson.Member[Relay] {
			return []strictjson.Member[Relay]{
				strictjson.Const[Relay]("schemaVersion", "always 1", 1),
				strictjson.Const[Relay]("protocolContract", "of the socket", Contract),
				strictjson.Field("socketPath", "where it listens", func(r *Relay) *string { return &r.Socket }, strictjson.Line(maxPath)),
				strictjson.Field("nonce", "proves that who asks may read this record", func(r *Relay) *string { return &r.Nonce }, nonce),
				strictjson.Field("pid", "of the relay", func(r *Relay) *int { return &r.PID }, strictjson.Int(2, 1<<31-1)),
				strictjson.Field("generationRef", "acc's session generation", func(r *Relay) *string { return &r.GenerationRef }, word),
				strictjson.Field("leaseUntil", "it counts as gone after this", func(r *Relay) *time.Time { return &r.LeaseUntil }, strictjson.Time()),
			}
		},
	}
})

var (
	word  = strictjson.String[string](&strictjson.Rule{Label: "word", MaxChars: protocol.MaxIDLength, Check: protocol.PortableIDProblem})
	nonce = strictjson.String[string](&strictjson.Rule{Label: "nonce", MaxChars: nonceHex, Check: func(s string) string {
		if len(s) != nonceHex || strings.Trim(s, "0123456789abcdef") != "" {
			return "must be 64 hex digits"
		}
		return ""
	}})
)

// Errors of ReadRelay and Exchange.
var (
	ErrNone  = errors.New("no relay runs for the session")
	ErrReply = errors.New("the relay does not speak the protocol")
)

// Keep writes the record.
func (r Relay) Keep(v adapter.Vault) error {
	data, err := relays().AppendIndent(nil, &r)
	if err != nil {
		return protocol.Malformed("relay", err)
	}
	return v.Keep(RecordID(r.GenerationRef), data)
}

// ReadRelay gives the relay of a session generation. It is ErrNone if there is none, its lease has passed, or
// its record cannot be read as one; fs.ErrPermission comes as it is.
func ReadRelay(v adapter.Vault, generationRef string, now time.Time) (Relay, error) {
	data, err := v.Record(RecordID(generationRef))
	if errors.Is(err, fs.ErrPermission) {
		return Relay{}, err
	}
	if err != nil {
		return Relay{}, ErrNone
	}
	r, err := relays().Decode(data)
	if err != nil || r.GenerationRef != generationRef || !now.Before(r.LeaseUntil) {
		return Relay{}, ErrNone
	}
	return r, nil
}

// What can be asked of a relay.
const (
	Probe = "probe" // whether it serves the conversation
	Wake  = "wake"  // to wake the conversation for a message
)

// Ask is one line to the relay.
type Ask struct {
	Nonce        string
	Conversation string // the client's own id
	What         string // Probe or Wake
	MessageID    string // of a Wake
}

var asks = sync.OnceValue(func() *strictjson.Object[Ask] {
	return &strictjson.Object[Ask]{
		Name: "ask", Doc: "One line to the relay.", MaxBytes: MaxLine,
		Members: func() []strictjson.Member[Ask] {
			return []strictjson.Member[Ask]{
				strictjson.Const[Ask]("protocolContract", "of the socket", Contract),
				strictjson.Field("nonce", "of the record", func(a *Ask) *string { return &a.Nonce }, nonce),
				strictjson.Field("conversationId", "the client's own id", func(a *Ask) *string { return &a.Conversation }, word),
				strictjson.Field("ask", "what is asked", func(a *Ask) *string { return &a.What }, strictjson.Enum(Probe, Wake)),
				strictjson.Optional("messageId", "of a wake", func(a *Ask) *string { return &a.MessageID }, word),
			}
		},
		Check: func(a *Ask) *strictjson.Error {
			if (a.What == Wake) != (a.MessageID != "") {
				return strictjson.Fail("$.messageId", "a wake names a message, and nothing else does")
			}
			return nil
		},
	}
})

// Append writes the line.
func (a Ask) Append(dst []byte) ([]byte, error) {
	line, err := asks().Append(dst, &a)
	return append(line, '\n'), err
}

// DecodeAsk reads a line.
func DecodeAsk(line []byte) (Ask, error) { return asks().Decode(line) }

// Reply is one line of the relay.
type Reply struct {
	ClientVersion string
	Refusal       protocol.OfferFailure // "": it serves the conversation, or the client's command took the wake
}

var replies = sync.OnceValue(func() *strictjson.Object[Reply] {
	return &strictjson.Object[Reply]{
		Name: "reply", Doc: "One line of the relay.", MaxBytes: MaxLine,
		Members: func() []strictjson.Member[Reply] {
			return []strictjson.Member[Reply]{
				strictjson.Const[Reply]("protocolContract", "of the socket", Contract),
				strictjson.Field("clientVersion", "of the client's command", func(r *Reply) *string { return &r.ClientVersion }, strictjson.Line(protocol.MaxIDLength)),
				strictjson.Optional("refusal", "why not", func(r *Reply) *protocol.OfferFailure { return &r.Refusal }, strictjson.Enum(protocol.OfferFailures[:]...)),
			}
		},
	}
})

// Append writes the line.
func (r Reply) Append(dst []byte) ([]byte, error) {
	line, err := replies().Append(dst, &r)
	return append(line, '\n'), err
}

// Exchange writes an ask and reads the reply. The deadline is the connection's.
func Exchange(conn io.ReadWriter, a Ask) (Reply, error) {
	line, err := a.Append(nil)
	if err != nil {
		return Reply{}, protocol.Malformed("ask", err)
	}
	if _, err := conn.Write(line); err != nil {
		return Reply{}, err
	}
	line, err = ReadLine(conn)
	if err != nil {
		return Reply{}, err
	}
	r, err := replies().Decode(line)
	if err != nil {
		return Reply{}, ErrReply
	}
	return r, nil
}

// ReadLine reads up to a line end, which must come within MaxLine bytes; what follows it is lost. A
// connection that ends before is io.ErrUnexpectedEOF.
func ReadLine(r io.Reader) ([]byte, error) {
	line := make([]byte, 0, 512)
	for len(line) < MaxLine {
		if len(line) == cap(line) {
			line = append(line, 0)[:len(line)]
		}
		n, err := r.Read(line[len(line):min(cap(line), MaxLine)])
		from := len(line)
		line = line[:from+n]
		for i := from; i < len(line); i++ {
			if line[i] == '\n' {
				return line[:i], nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ErrReply
}
