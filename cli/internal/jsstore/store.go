package jsstore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// Store is what was read.
type Store struct {
	WorkspaceID string
	Contract    int64           // 6 or 7
	Messages    []core.Imported // in the order in which they were recorded
	// Unreadable are files that hold no record as they should, each with the reason, below the directory.
	Unreadable []string
}

const (
	oldestContract = 6
	newestContract = 7
	maxFile        = 1 << 20 // bytes; the JavaScript acc writes bodies of at most 4,000 characters
)

// identity is protocol.json of the JavaScript acc, which has no layout.
type identity struct {
	StoreVersion int64
	WorkspaceID  string
}

var identityFormat = &strictjson.Object[identity]{
	Name: "identity", Doc: "Says which store this is.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[identity] {
		return []strictjson.Member[identity]{
			strictjson.Field("storeVersion", "contract", func(i *identity) *int64 { return &i.StoreVersion }, strictjson.Int[int64](1, 1<<31)),
			strictjson.Field("workspaceId", "the room", func(i *identity) *string { return &i.WorkspaceID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("initialisedAt", "when it was made", func(*identity) *string { return new(string) }, strictjson.Line(100)),
		}
	},
}

// envelope is a file of state/.
type envelope struct {
	Kind, ID   string
	Generation jsontext.Value // a number or its digits
	Record     jsontext.Value
}

var envelopeFormat = &strictjson.Object[envelope]{
	Name: "envelope", Doc: "A record with its place.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[envelope] {
		return []strictjson.Member[envelope]{
			strictjson.Field("kind", "of the record", func(e *envelope) *string { return &e.Kind }, strictjson.Line(100)),
			strictjson.Field("id", "of the record", func(e *envelope) *string { return &e.ID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("generation", "of the record", func(e *envelope) *jsontext.Value { return &e.Generation }, strictjson.Raw()),
			strictjson.Field("record", "the record", func(e *envelope) *jsontext.Value { return &e.Record }, strictjson.RawObject()),
		}
	},
}

// reading is one run of Read.
type reading struct {
	Store
	dir  string
	tree *privatefile.Tree
}

// Read reads the store in dir, an absolute path. What is no JavaScript store, or of another contract, is an error
// with Code Data; single damaged files are told in Unreadable.
func Read(dir string) (Store, error) {
	r := &reading{dir: dir, tree: privatefile.Below(filepath.Dir(dir))}
	if err := r.identify(); err != nil {
		return Store{}, err
	}
	participants, messages, receipts := map[string]*protocol.Participant{}, map[string]*protocol.Message{}, map[string][]protocol.Receipt{}
	err := errors.Join(
		r.each(protocol.KindParticipant, func(p protocol.Record) { participants[p.Key()] = p.(*protocol.Participant) }),
		r.each(protocol.KindMessage, func(m protocol.Record) { messages[m.Key()] = m.(*protocol.Message) }),
		r.each(protocol.KindReceipt, func(record protocol.Record) {
			receipt := record.(*protocol.Receipt)
			receipts[receipt.MessageID] = append(receipts[receipt.MessageID], *receipt)
		}),
	)
	if err != nil {
		return Store{}, err
	}
	order, err := r.order()
	if err != nil {
		return Store{}, err
	}
	for id, m := range messages {
		in := core.Imported{Message: *m, Receipts: receipts[id]}
		slices.SortFunc(in.Receipts, func(a, b protocol.Receipt) int {
			return cmp.Compare(a.RecipientParticipantID, b.RecipientParticipantID)
		})
		in.Participants = whoIsNamed(in, participants)
		r.Messages = append(r.Messages, in)
	}
	// What the events do not tell of, because they were trimmed, is older than what they do.
	slices.SortFunc(r.Messages, func(a, b core.Imported) int {
		return cmp.Or(cmp.Compare(order[a.Message.MessageID], order[b.Message.MessageID]), a.Message.SentAt.Compare(b.Message.SentAt),
			cmp.Compare(a.Message.MessageID, b.Message.MessageID))
	})
	return r.Store, nil
}

// whoIsNamed gives the author and the recipients.
func whoIsNamed(in core.Imported, known map[string]*protocol.Participant) []protocol.Participant {
	names := append([]string{in.Message.FromParticipantID}, in.Message.ToParticipantIDs...)
	for _, r := range in.Receipts {
		names = append(names, r.RecipientParticipantID)
	}
	slices.Sort(names)
	var all []protocol.Participant
	for _, name := range slices.Compact(names) {
		if p := known[name]; p != nil {
			all = append(all, *p)
		}
	}
	return all
}

const whichDirectory = "name the directory of one room, <data home>/acc/workspaces/<room>"

func (r *reading) identify() error {
	path := filepath.Join(r.dir, "protocol.json")
	data, err := r.tree.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return protocol.DataError(protocol.ReasonNotFound, r.dir+" holds no store: there is no protocol.json").WithHint(whichDirectory)
	}
	if err != nil {
		return err
	}
	id, err := identityFormat.Decode(data)
	if err != nil {
		return protocol.DataError(protocol.ReasonStoreForeign, path+" is not that of a JavaScript acc: "+err.Error()).Because(err)
	}
	if id.StoreVersion < oldestContract || id.StoreVersion > newestContract {
		return protocol.DataError(protocol.ReasonStoreForeign, fmt.Sprintf("%s is of contract %d, and only %d and %d can be read", r.dir, id.StoreVersion, oldestContract, newestContract))
	}
	if problem := protocol.PortableIDProblem(id.WorkspaceID); problem != "" {
		return protocol.DataError(protocol.ReasonMalformed, fmt.Sprintf("%s is not that of a JavaScript acc: workspaceId %q %s", path, id.WorkspaceID, problem))
	}
	if info, err := os.Lstat(filepath.Join(r.dir, "state")); err != nil || !info.IsDir() {
		return protocol.DataError(protocol.ReasonNotFound, r.dir+" holds no store: there is no directory state").WithHint(whichDirectory).Because(err)
	}
	r.WorkspaceID, r.Contract = id.WorkspaceID, id.StoreVersion
	return nil
}

// each gives every record of a kind that is not hidden.
func (r *reading) each(kind protocol.Kind, yield func(protocol.Record)) error {
	names, err := r.list(filepath.Join("state", string(kind)))
	if err != nil {
		return err
	}
	for _, id := range names {
		name := filepath.Join("state", string(kind), id+".json")
		record, hidden, err := r.record(kind, id, name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // its writer was faster
		case err != nil:
			r.Unreadable = append(r.Unreadable, filepath.ToSlash(name)+": "+err.Error())
		case !hidden:
			yield(record)
		}
	}
	return nil
}

func (r *reading) record(kind protocol.Kind, id, name string) (record protocol.Record, hidden bool, err error) {
	data, err := r.tree.Read(filepath.Join(r.dir, name), maxFile)
	if err != nil {
		return nil, false, err
	}
	e, err := envelopeFormat.Decode(data)
	if err != nil {
		return nil, false, err
	}
	if e.Kind != string(kind) || e.ID != id {
		return nil, false, protocol.DataError(protocol.ReasonMalformed, fmt.Sprintf("it says that it is %s %s", e.Kind, e.ID))
	}
	marker := filepath.Join(r.dir, "retained", "state", string(kind), id, strings.Trim(string(e.Generation), `"`)+".json")
	if _, err := os.Lstat(marker); err == nil {
		return nil, true, nil
	}
	record, err = protocol.DecodeRecord(kind, e.Record)
	if err == nil && record.Key() != id {
		err = protocol.DataError(protocol.ReasonMalformed, "it holds the record "+record.Key())
	}
	return record, false, err
}

// list gives the names of the JSON files of a directory, without their ending.
func (r *reading) list(below string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.dir, below))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, protocol.DataError("", "cannot list "+filepath.Join(r.dir, below)+": "+err.Error()).Because(err)
	}
	var names []string
	for _, entry := range entries {
		if name, isJSON := strings.CutSuffix(entry.Name(), ".json"); isJSON {
			names = append(names, name)
		}
	}
	return names, nil
}

// order gives the sequence of the event that recorded each message.
func (r *reading) order() (map[string]uint64, error) {
	names, err := r.list("events")
	if err != nil {
		return nil, err
	}
	order := map[string]uint64{}
	for _, name := range names {
		file := filepath.Join("events", name+".json")
		data, err := r.tree.Read(filepath.Join(r.dir, file), maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		sequence, id := uint64(0), ""
		if err == nil {
			sequence, id, err = recorded(data)
		}
		if err != nil {
			r.Unreadable = append(r.Unreadable, filepath.ToSlash(file)+": "+err.Error())
		}
		if id != "" {
			order[id] = sequence
		}
	}
	return order, nil
}

// recordedPayload is as much of the payload of message.recorded as orders messages.
type recordedPayload struct{ MessageID string }

var recordedFormat = &strictjson.Object[recordedPayload]{
	Name: "message.recorded", Doc: "A message was recorded.", Open: true, MaxBytes: maxFile,
	Members: func() []strictjson.Member[recordedPayload] {
		return []strictjson.Member[recordedPayload]{
			strictjson.Field("messageId", "which", func(p *recordedPayload) *string { return &p.MessageID }, strictjson.Line(protocol.MaxIDLength)),
		}
	},
}

// recorded gives the message that an event tells was recorded, if it does.
func recorded(data []byte) (uint64, string, error) {
	e, err := protocol.DecodeEvent(data)
	if err != nil || e.Type != protocol.MessageRecorded {
		return 0, "", err
	}
	p, err := recordedFormat.Decode(e.Payload)
	return e.Sequence, p.MessageID, err
}
