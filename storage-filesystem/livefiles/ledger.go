package livefiles

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// Ledger remembers the live offers of one room, in files below <store>/live:
//
//	flight/<session>.<ref>.json   the wake of a session generation that is in flight
//	woken/<session>.<ref>.json    the messages that it was woken for
//	exchange/<from><to>.json      live offers from one participant to another
//	turn/<participant>.json       names the time since a person last had a turn with a participant
//	denied/<participant>.json     messages whose offer a sandbox did not let through
//	attempt/<session>.<ref>.json  the last attempt of a session to publish an endpoint
//	swept                         its time of change says when leftovers were last cleared away
//
// A flight is claimed by a write that does not replace, so that of several senders exactly one wakes; a
// hook ends it by removing the file. Only who takes the place of a flight that was lost holds a lock, beside it, for that
// moment. Nothing but a sweep lists anything.
type Ledger struct {
	tree *privatefile.Tree
	dir  string
}

// Directory is the name of a ledger's directory beside the store.
const Directory = "live"

// NewLedger gives the ledger of the room whose store lies in storeDir.
func NewLedger(home datahome.Home, storeDir string) *Ledger {
	return LedgerIn(privatefile.Below(home.Root), storeDir)
}

// LedgerIn is NewLedger in a data home whose directories were looked at.
func LedgerIn(home *privatefile.Tree, storeDir string) *Ledger {
	return &Ledger{tree: home, dir: filepath.Join(storeDir, Directory)}
}

const (
	maxFile    = 64 << 10
	maxWoken   = 64 // messages of one session generation that are remembered
	maxDenied  = 32
	nameDigits = 16 // hex digits of the hash that stands for a participant in a file name
)

// flight is a wake on its way.
type flight struct {
	MessageID string
	At        time.Time
}

var flights = &strictjson.Object[flight]{
	Name: "flight", Doc: "A wake that no hook has followed yet.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[flight] {
		return []strictjson.Member[flight]{
			strictjson.Const[flight]("schemaVersion", "always 1", 1),
			strictjson.Field("messageId", "message", func(f *flight) *string { return &f.MessageID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("at", "when", func(f *flight) *time.Time { return &f.At }, strictjson.Time()),
		}
	},
}

// messages is a list of message ids, oldest first.
type messages struct{ IDs []string }

var messageLists = &strictjson.Object[messages]{
	Name: "messages", Doc: "Messages that something was done for, oldest first.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[messages] {
		return []strictjson.Member[messages]{
			strictjson.Const[messages]("schemaVersion", "always 1", 1),
			strictjson.Field("messageIds", "messages", func(m *messages) *[]string { return &m.IDs },
				strictjson.List(strictjson.Line(protocol.MaxIDLength), 0, maxWoken)),
		}
	},
}

// BeginWake claims the one wake that a session generation may have in flight. inFlight: another one is,
// and began less than expires ago. spent: the session was woken for this message and a hook of it ran
// since. Neither: the caller holds the claim. A wake that expired was lost, so its message may be woken
// for again.
func (l *Ledger) BeginWake(sessionID, generationRef, messageID string, now time.Time, expires time.Duration) (inFlight, spent bool, err error) {
	path := l.file("flight", sessionID+"."+generationRef)
	data, err := flights.AppendIndent(nil, &flight{messageID, now.UTC().Truncate(time.Millisecond)})
	if err != nil {
		return false, false, protocol.Malformed("flight", err)
	}
	lost := false
	if err := l.tree.WriteNew(path, data); errors.Is(err, fs.ErrExist) {
		before, readable := l.flight(path)
		age := now.Sub(before.At)
		if readable && age >= 0 && age < expires {
			return true, false, nil
		}
		lost = before.MessageID == messageID
		if first, err := l.succeed(path, before, data); !first || err != nil {
			return err == nil, false, err
		}
	} else if err != nil {
		return false, false, err
	}
	if woken := l.list("woken", sessionID+"."+generationRef); !lost && slices.Contains(woken, messageID) {
		return false, true, l.tree.Remove(path)
	}
	return false, false, l.add("woken", sessionID+"."+generationRef, messageID, maxWoken)
}

// succeed puts data in the place of a flight that was lost. Of several senders that find it lost one does: who holds
// the lock beside it, and finds the lost one there still. The kernel frees the lock with its holder.
func (l *Ledger) succeed(path string, lost flight, data []byte) (first bool, err error) {
	dir, err := vfs.OS{}.Open(l.dir, filepath.Dir(path))
	if err != nil {
		return false, err
	}
	defer func() { _ = dir.Close() }()
	lock, err := dir.Open(strings.TrimSuffix(filepath.Base(path), ".json")+".lock", vfs.OpenOrCreate)
	if err != nil {
		return false, err
	}
	defer func() { _ = lock.Close() }()
	if held, err := lock.TryLock(); !held || err != nil {
		return false, err
	}
	if found, _ := l.flight(path); found != lost {
		return false, nil
	}
	return true, l.tree.Write(path, data)
}

// flight reads a wake in flight. One that cannot be read is as good as lost.
func (l *Ledger) flight(path string) (flight, bool) {
	data, err := l.tree.Read(path, maxFile)
	if err != nil {
		return flight{}, false
	}
	f, err := flights.Decode(data)
	if err != nil {
		return flight{}, false
	}
	return f, true
}

// CancelWake takes a claim back whose wake did not cross.
func (l *Ledger) CancelWake(sessionID, generationRef, messageID string) error {
	err := l.drop("woken", sessionID+"."+generationRef, []string{messageID})
	return errors.Join(err, l.EndWake(sessionID, generationRef))
}

// EndWake says that a hook of the session ran. Nothing in flight is no error.
func (l *Ledger) EndWake(sessionID, generationRef string) error {
	return l.remove("flight", sessionID+"."+generationRef)
}

// Forget removes what concerns a session generation that ended.
func (l *Ledger) Forget(sessionID, generationRef string) error {
	name := sessionID + "." + generationRef
	lock := filepath.Join(l.dir, "flight", name+".lock")
	return errors.Join(l.remove("flight", name), l.tree.Remove(lock), l.remove("woken", name), l.remove("attempt", name))
}

// exchange counts live offers in one direction within one turn of each side's person.
type exchange struct {
	From, To string // what names the time, see turn
	Count    int
}

var exchanges = &strictjson.Object[exchange]{
	Name: "exchange", Doc: "Live offers from one participant to another since a person last had a turn with either.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[exchange] {
		return []strictjson.Member[exchange]{
			strictjson.Const[exchange]("schemaVersion", "always 1", 1),
			strictjson.Field("fromTurn", "time of the sender", func(e *exchange) *string { return &e.From }, strictjson.Line(64)),
			strictjson.Field("toTurn", "time of the recipient", func(e *exchange) *string { return &e.To }, strictjson.Line(64)),
			strictjson.Field("count", "offers", func(e *exchange) *int { return &e.Count }, strictjson.Int(0, 1<<31-1)),
		}
	},
}

// turn names the time since a person's last turn with a participant.
type turn struct{ Nonce string }

var turns = &strictjson.Object[turn]{
	Name: "turn", Doc: "Names the time since a person last had a turn with a participant; absent when one has.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[turn] {
		return []strictjson.Member[turn]{
			strictjson.Const[turn]("schemaVersion", "always 1", 1),
			strictjson.Field("nonce", "the name", func(t *turn) *string { return &t.Nonce }, strictjson.Line(64)),
		}
	},
}

// Exchanges counts the live offers between two participants, in both directions, since a person last had
// a turn with either of them.
func (l *Ledger) Exchanges(a, b string) (int, error) {
	there, err := l.exchanged(a, b)
	if err != nil {
		return 0, err
	}
	back, err := l.exchanged(b, a)
	return there.Count + back.Count, err
}

// exchanged reads one direction; a count of another time counts nothing.
func (l *Ledger) exchanged(from, to string) (exchange, error) {
	now := exchange{}
	var err error
	if now.From, err = l.turn(from); err == nil {
		now.To, err = l.turn(to)
	}
	if err != nil || now.From == "" || now.To == "" {
		return now, err
	}
	data, err := l.tree.Read(l.file("exchange", hashed(from)+hashed(to)), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return now, nil
	}
	if err != nil {
		return now, err
	}
	if was, err := exchanges.Decode(data); err == nil && was.From == now.From && was.To == now.To {
		now.Count = was.Count
	}
	return now, nil
}

// CountExchange adds one live offer. Two senders at once may count as one.
func (l *Ledger) CountExchange(from, to string) error {
	for _, p := range []string{from, to} {
		nonce := make([]byte, 8)
		_, _ = rand.Read(nonce) // never fails
		data, err := turns.AppendIndent(nil, &turn{hex.EncodeToString(nonce)})
		if err != nil {
			return protocol.Malformed("turn", err)
		}
		if err := l.tree.WriteNew(l.file("turn", hashed(p)), data); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	now, err := l.exchanged(from, to)
	if err != nil {
		return err
	}
	now.Count++
	data, err := exchanges.AppendIndent(nil, &now)
	if err != nil {
		return protocol.Malformed("exchange", err)
	}
	return l.tree.Write(l.file("exchange", hashed(from)+hashed(to)), data)
}

// HumanTurn says that a person had a turn with a participant. It is one look where nothing was counted.
func (l *Ledger) HumanTurn(participantID string) error {
	return l.remove("turn", hashed(participantID))
}

func (l *Ledger) turn(participantID string) (string, error) {
	data, err := l.tree.Read(l.file("turn", hashed(participantID)), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	t, err := turns.Decode(data)
	if err != nil {
		return "", protocol.Malformed("turn", err)
	}
	return t.Nonce, nil
}

// Denied gives the messages of a participant whose offer its sandbox did not let through, oldest first.
func (l *Ledger) Denied(participantID string) ([]string, error) {
	return l.list("denied", hashed(participantID)), nil
}

// Deny adds one; the last 32 are kept.
func (l *Ledger) Deny(participantID, messageID string) error {
	return l.add("denied", hashed(participantID), messageID, maxDenied)
}

// DropDenied forgets some.
func (l *Ledger) DropDenied(participantID string, messageIDs []string) error {
	return l.drop("denied", hashed(participantID), messageIDs)
}

// list reads a list of messages; one that cannot be read is empty.
func (l *Ledger) list(kind, name string) []string {
	data, err := l.tree.Read(l.file(kind, name), maxFile)
	if err != nil {
		return nil
	}
	m, err := messageLists.Decode(data)
	if err != nil {
		return nil
	}
	return m.IDs
}

func (l *Ledger) add(kind, name, id string, most int) error {
	ids := l.list(kind, name)
	if slices.Contains(ids, id) {
		return nil
	}
	ids = append(ids, id)
	return l.write(kind, name, ids[max(0, len(ids)-most):])
}

func (l *Ledger) drop(kind, name string, gone []string) error {
	ids := l.list(kind, name)
	left := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(gone, id) })
	switch len(left) {
	case len(ids):
		return nil
	case 0:
		return l.remove(kind, name)
	}
	return l.write(kind, name, left)
}

func (l *Ledger) write(kind, name string, ids []string) error {
	data, err := messageLists.AppendIndent(nil, &messages{ids})
	if err != nil {
		return protocol.Malformed("messages", err)
	}
	return l.tree.Write(l.file(kind, name), data)
}

func (l *Ledger) remove(kind, name string) error {
	return l.tree.Remove(l.file(kind, name))
}

func (l *Ledger) file(kind, name string) string { return filepath.Join(l.dir, kind, name+".json") }

// hashed stands for an id in a file name.
func hashed(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:nameDigits]
}
