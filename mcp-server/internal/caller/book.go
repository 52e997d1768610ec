package caller

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// The variables of the launch environment that say who speaks, and where.
const (
	ParticipantVariable = "ACC_MCP_PARTICIPANT"
	WorkspaceVariable   = "ACC_MCP_WORKSPACE"
)

// DefaultParticipant speaks where the environment names nobody.
const DefaultParticipant = "mcp"

// Conversation finds the owner pair that the hooks of a client's conversation keep in a room.
type Conversation func(ctx context.Context, r *room.Room, adapterID, nativeID string) (owner core.Owner, found bool, err error)

// Book knows everybody who called. It is safe for concurrent use.
type Book struct {
	env          func(string) string
	conversation Conversation

	mu      sync.Mutex
	callers map[key]*Caller
}

// key names a caller: the conversation of a client, or nothing for who started the server.
type key struct{ adapterID, nativeID string }

// NewBook gives a Book. conversation may be nil: then no session of hooks is ever found.
func NewBook(env func(string) string, conversation Conversation) *Book {
	return &Book{env: env, conversation: conversation, callers: map[key]*Caller{}}
}

// Metadata is what a call carries beside its arguments, written by the client.
type Metadata struct {
	Client string // its name for itself
	Values map[string]any
}

// threads lists the clients that serve several conversations from one server and say in each call which
// one it is. Codex: "_meta.threadId", the id that its hooks know too.
var threads = []struct{ client, member, adapterID string }{
	{"codex", "threadId", "codex"},
}

// conversationOf gives the key of who calls.
func conversationOf(m Metadata) key {
	for _, t := range threads {
		id, _ := m.Values[t.member].(string)
		if strings.HasPrefix(m.Client, t.client) && id != "" && len(id) <= protocol.MaxLine {
			return key{t.adapterID, id}
		}
	}
	return key{}
}

// Of gives the caller of a call, and enters its room at the first one.
func (b *Book) Of(ctx context.Context, m Metadata) (*Caller, error) {
	k := conversationOf(m)
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.callers[k]; known != nil {
		return known, nil
	}
	c, err := b.begin(ctx, k)
	if err != nil {
		return nil, err
	}
	b.callers[k] = c
	return c, nil
}

func (b *Book) begin(ctx context.Context, k key) (*Caller, error) {
	if k == (key{}) {
		participant, err := b.participant()
		if err != nil {
			return nil, err
		}
		r, err := b.launchRoom(ctx)
		if err != nil {
			return nil, err
		}
		return &Caller{Room: r, Participant: participant}, nil
	}
	// The hooks of a conversation saved its room; without hooks it is where the server was started.
	r, err := room.Enter(ctx, room.Request{Env: b.env, Selector: protocol.RoomRef(k.adapterID, k.nativeID), Rebuild: true})
	if protocol.ReasonOf(err) == protocol.ReasonNotFound {
		r, err = b.launchRoom(ctx)
	}
	if err != nil {
		return nil, err
	}
	c := &Caller{Room: r, Participant: protocol.HookParticipantID(k.adapterID, k.nativeID)}
	if b.conversation != nil {
		c.hooked = func(ctx context.Context) (core.Owner, bool, error) { return b.hooked(ctx, c, k) }
	}
	return c, nil
}

// hooked gives the session that the hooks of a conversation own, if it is open.
func (b *Book) hooked(ctx context.Context, c *Caller, k key) (core.Owner, bool, error) {
	owner, found, err := b.conversation(ctx, c.Room, k.adapterID, k.nativeID)
	if err != nil || !found {
		return core.Owner{}, false, err
	}
	s, err := c.Room.Core.Session(ctx, owner)
	if ended(err) {
		return core.Owner{}, false, nil // on file, and never opened
	}
	if err != nil || s.State != protocol.SessionOpen {
		return core.Owner{}, false, err
	}
	return owner, true, nil
}

func (b *Book) participant() (string, error) {
	name := b.env(ParticipantVariable)
	if name == "" {
		return DefaultParticipant, nil
	}
	id, ok := protocol.CleanParticipantName(name)
	if !ok {
		return "", protocol.UsageError(protocol.ReasonCallerUnresolved, ParticipantVariable+" leaves no name").
			WithHint("set " + ParticipantVariable + " to letters, digits, dots, hyphens and underscores")
	}
	return id, nil
}

// launchRoom enters the room that the launch environment selects: a reference, a configuration or a
// directory, else the directory that the server was started in.
func (b *Book) launchRoom(ctx context.Context) (*room.Room, error) {
	req := room.Request{Env: b.env, Rebuild: true}
	selected := b.env(WorkspaceVariable)
	info, err := os.Stat(selected)
	if err == nil && info.IsDir() {
		if !filepath.IsAbs(selected) {
			return nil, protocol.UsageError("", WorkspaceVariable+" names a directory that is not absolute: "+selected)
		}
		req.Dir = selected
	} else {
		req.Selector = selected
	}
	return room.Enter(ctx, req)
}

// BeatEvery is how often a sign of life is due: twice as often as one is written, so that none is late by a
// whole period.
const BeatEvery = protocol.HeartbeatEvery / 2

// Beat gives a sign of life for every session of this server at each tick, until ctx is done. It returns then.
func (b *Book) Beat(ctx context.Context, ticks <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		for _, c := range b.all() {
			beat, cancel := context.WithTimeout(ctx, beatDeadline)
			c.beat(beat)
			cancel()
		}
	}
}

// beatDeadline bounds one sign of life.
const beatDeadline = 5 * time.Second

func (b *Book) all() []*Caller {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]*Caller, 0, len(b.callers))
	for _, c := range b.callers {
		all = append(all, c)
	}
	return all
}
