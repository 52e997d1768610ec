package fsstore

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
)

// transaction is the payload of a frame.
type transaction struct {
	Generation    int64
	FirstSequence string // of its first event, or of the next one if it has none
	Keys          int64  // version of core.Keys by which it says what became listed elsewhere
	At            time.Time
	Events        []jsontext.Value
	Puts          []put
	Removes       []removal
}

// put is an after-image: the record as the transaction left it. Of a record that existed before it also
// says which places in the indexes it left and took, because the image before is gone once the state is
// published. Each place is the name of an index and the parts of a key.
type put struct {
	Kind     string
	ID       string
	Created  int64 // generation in which the id first appeared
	Record   jsontext.Value
	Unlisted [][]string
	Listed   [][]string
}

// removal is a record that is gone, before any put of the same transaction.
type removal struct {
	Kind     string
	ID       string
	Created  int64
	Unlisted [][]string // every place it had
}

const (
	maxItems  = 1 << 20 // of each list of a transaction
	maxPlaces = 1 << 12 // of one record in the indexes
)

// places are the places of a record in the indexes.
func places() strictjson.Type[[][]string] {
	return strictjson.List(strictjson.List(strictjson.Text(16<<10), 1, 5), 0, maxPlaces)
}

var transactionFormat = &strictjson.Object[transaction]{
	Name: "transaction", Doc: "What one commit changed.", MaxBytes: frame.MaxPayload,
	Members: func() []strictjson.Member[transaction] {
		return []strictjson.Member[transaction]{
			strictjson.Field("generation", "of the frame, again", func(t *transaction) *int64 { return &t.Generation }, strictjson.Int[int64](1, maxNumber)),
			strictjson.Field("firstSequence", "of the first event, or of the next if there is none", func(t *transaction) *string { return &t.FirstSequence }, strictjson.Line(protocol.SequenceDigits)),
			strictjson.Optional("keys", "version of the rules by which records are listed; absent: 1", func(t *transaction) *int64 { return &t.Keys }, strictjson.Int[int64](1, maxNumber)),
			strictjson.Optional("at", "when it was committed, for people; absent: its events say", func(t *transaction) *time.Time { return &t.At }, strictjson.Time()),
			strictjson.Optional("events", "in order", func(t *transaction) *[]jsontext.Value { return &t.Events }, strictjson.List(strictjson.RawObjectView(), 0, maxItems)),
			strictjson.Optional("puts", "after-images", func(t *transaction) *[]put { return &t.Puts }, strictjson.List(strictjson.Nested(putFormat), 0, maxItems)),
			strictjson.Optional("removes", "records that are gone", func(t *transaction) *[]removal { return &t.Removes }, strictjson.List(strictjson.Nested(removalFormat), 0, maxItems)),
		}
	},
}

var putFormat = &strictjson.Object[put]{
	Name: "put", Doc: "A record as the transaction left it.",
	Members: func() []strictjson.Member[put] {
		return []strictjson.Member[put]{
			strictjson.Field("kind", "of the record", func(p *put) *string { return &p.Kind }, strictjson.Line(50)),
			strictjson.Field("id", "of the record", func(p *put) *string { return &p.ID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Optional("created", "generation in which the id first appeared; absent: this one", func(p *put) *int64 { return &p.Created }, strictjson.Int[int64](1, maxNumber)),
			strictjson.Field("record", "the record", func(p *put) *jsontext.Value { return &p.Record }, strictjson.RawObjectView()),
			strictjson.Optional("unlisted", "places in the indexes that it left", func(p *put) *[][]string { return &p.Unlisted }, places()),
			strictjson.Optional("listed", "places in the indexes that it took; a new record takes all of its own", func(p *put) *[][]string { return &p.Listed }, places()),
		}
	},
}

var removalFormat = &strictjson.Object[removal]{
	Name: "removal", Doc: "A record that is gone.",
	Members: func() []strictjson.Member[removal] {
		return []strictjson.Member[removal]{
			strictjson.Field("kind", "of the record", func(r *removal) *string { return &r.Kind }, strictjson.Line(50)),
			strictjson.Field("id", "of the record", func(r *removal) *string { return &r.ID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("created", "generation in which the id first appeared", func(r *removal) *int64 { return &r.Created }, strictjson.Int[int64](1, maxNumber)),
			strictjson.Optional("unlisted", "places in the indexes that it left", func(r *removal) *[][]string { return &r.Unlisted }, places()),
		}
	},
}

// encode writes t. Its raw values are canonical JSON already and are not looked at again.
func (t *transaction) encode() []byte {
	b := append([]byte(nil), `{"generation":`...)
	b = strconv.AppendInt(b, t.Generation, 10)
	b = append(b, `,"firstSequence":"`...)
	b = append(b, t.FirstSequence...)
	b = append(b, '"')
	if t.Keys != 1 {
		b = append(b, `,"keys":`...)
		b = strconv.AppendInt(b, t.Keys, 10)
	}
	if len(t.Events) == 0 {
		b = append(b, `,"at":"`...)
		b = append(t.At.UTC().AppendFormat(b, strictjson.TimeLayout), '"')
	}
	b = appendList(b, `,"events":`, t.Events, func(b []byte, e jsontext.Value) []byte { return append(b, e...) })
	b = appendList(b, `,"puts":`, t.Puts, t.appendPut)
	b = appendList(b, `,"removes":`, t.Removes, appendRemoval)
	return append(b, '}')
}

// appendList writes a member that holds a list, unless it is empty.
func appendList[T any](b []byte, name string, list []T, each func([]byte, T) []byte) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(append(b, name...), '[')
	for i, item := range list {
		b = each(comma(b, i), item)
	}
	return append(b, ']')
}

func (t *transaction) appendPut(b []byte, p put) []byte {
	b = appendKey(b, p.Kind, p.ID)
	if p.Created != t.Generation {
		b = append(b, `,"created":`...)
		b = strconv.AppendInt(b, p.Created, 10)
	}
	b = append(b, `,"record":`...)
	b = append(b, p.Record...)
	b = appendPlaces(b, `,"unlisted":`, p.Unlisted)
	b = appendPlaces(b, `,"listed":`, p.Listed)
	return append(b, '}')
}

func appendRemoval(b []byte, r removal) []byte {
	b = appendKey(b, r.Kind, r.ID)
	b = append(b, `,"created":`...)
	b = strconv.AppendInt(b, r.Created, 10)
	b = appendPlaces(b, `,"unlisted":`, r.Unlisted)
	return append(b, '}')
}

// decodeTransaction reads the payload of a frame and fills in what is left out.
func decodeTransaction(payload []byte) (transaction, error) {
	t, err := transactionFormat.Decode(payload)
	if t.Keys == 0 {
		t.Keys = 1
	}
	for i := range t.Puts {
		if t.Puts[i].Created == 0 {
			t.Puts[i].Created = t.Generation
		}
	}
	if err == nil {
		err = t.check()
	}
	return t, err
}

// check refuses what the definition of a payload cannot say.
func (t *transaction) check() error {
	if len(t.Events) == 0 && t.At.IsZero() {
		return errors.New("neither it nor an event says when it was committed")
	}
	for _, p := range t.Puts {
		if err := checkKey(p.Kind, p.ID); err != nil {
			return err
		}
	}
	for _, r := range t.Removes {
		if err := checkKey(r.Kind, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// checkKey refuses a record that cannot have a file.
func checkKey(kind, id string) error {
	if !slices.Contains(protocol.Kinds[:], protocol.Kind(kind)) || !portable(id) {
		return fmt.Errorf("there can be no %q %q", kind, id)
	}
	return nil
}

func appendPlaces(b []byte, name string, places [][]string) []byte {
	if len(places) == 0 {
		return b
	}
	b = append(append(b, name...), '[')
	for i, place := range places {
		b = append(comma(b, i), '[')
		for k, part := range place {
			b, _ = jsontext.AppendQuote(comma(b, k), part) // parts of records, which are valid UTF-8
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

// appendKey opens an object; kinds and portable ids need no escape.
func appendKey(b []byte, kind, id string) []byte {
	b = append(b, `{"kind":"`...)
	b = append(b, kind...)
	b = append(b, `","id":"`...)
	b = append(b, id...)
	return append(b, '"')
}

// image is the last known form of a record in some frames.
type image struct {
	generation uint64 // of the frame
	created    uint64
	record     jsontext.Value // nil: removed
}

// state is the content of the state file of an image.
func (m image) state(key recordKey) ([]byte, error) {
	b := appendKey(nil, string(key.kind), key.id)
	b = append(b, `,"created":`...)
	b = strconv.AppendUint(b, m.created, 10)
	b = append(b, `,"generation":`...)
	b = strconv.AppendUint(b, m.generation, 10)
	b = append(b, `,"record":`...)
	b = append(b, m.record...)
	return strictjson.AppendIndent(nil, append(b, '}'))
}

// envelope is the content of a state file.
type envelope struct {
	Kind, ID            string
	Created, Generation int64
	Record              jsontext.Value
}

var envelopeFormat = &strictjson.Object[envelope]{
	Name: "state file", Doc: "A record with its place in the order of commits.", MaxBytes: maxState,
	Members: func() []strictjson.Member[envelope] {
		return []strictjson.Member[envelope]{
			strictjson.Field("kind", "of the record", func(e *envelope) *string { return &e.Kind }, strictjson.Line(50)),
			strictjson.Field("id", "of the record", func(e *envelope) *string { return &e.ID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("created", "generation in which the id first appeared", func(e *envelope) *int64 { return &e.Created }, strictjson.Int[int64](1, maxNumber)),
			strictjson.Field("generation", "generation that last wrote it", func(e *envelope) *int64 { return &e.Generation }, strictjson.Int[int64](1, maxNumber)),
			strictjson.Field("record", "the record", func(e *envelope) *jsontext.Value { return &e.Record }, strictjson.RawObjectView()),
		}
	},
}

// decodeState reads the state file of key.
func decodeState(key recordKey, raw []byte) (image, error) {
	e, err := envelopeFormat.Decode(raw)
	if err != nil {
		return image{}, corrupt(key.file(), 0, err.Error())
	}
	if e.Kind != string(key.kind) || e.ID != key.id {
		return image{}, corrupt(key.file(), 0, "it holds "+recordKey{protocol.Kind(e.Kind), e.ID}.String())
	}
	return image{uint64(e.Generation), uint64(e.Created), e.Record}, nil
}

// stored decodes the record of an image; where says what was read.
func (m image) stored(key recordKey, where string) (core.Stored, error) {
	r, err := protocol.DecodeRecord(key.kind, m.record)
	if err != nil {
		return core.Stored{}, corrupt(where, 0, err.Error())
	}
	if r.Key() != key.id {
		return core.Stored{}, corrupt(where, 0, "the record in it is "+recordKey{key.kind, r.Key()}.String())
	}
	return core.Stored{Record: r, Created: m.created, Generation: m.generation}, nil
}

// compact gives an image whose record has no white space, as frames hold it.
func (m image) compact() image {
	m.record, _ = jsontext.AppendFormat(nil, m.record) // of a value that was decoded
	return m
}
