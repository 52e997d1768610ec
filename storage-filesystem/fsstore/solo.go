package fsstore

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// soloRecord is a record that lives only as long as nobody shares the room.
type soloRecord struct {
	Kind   string
	Record jsontext.Value
}

var soloFormat = &strictjson.Object[[]soloRecord]{
	Name: "solo room", Doc: "The records of a room with one session.", MaxBytes: maxSolo,
	Members: func() []strictjson.Member[[]soloRecord] {
		return []strictjson.Member[[]soloRecord]{
			strictjson.Field("records", "all of them", func(s *[]soloRecord) *[]soloRecord { return s },
				strictjson.List(strictjson.Nested(&strictjson.Object[soloRecord]{
					Name: "solo record", Doc: "A record without a place in the order of commits.",
					Members: func() []strictjson.Member[soloRecord] {
						return []strictjson.Member[soloRecord]{
							strictjson.Field("kind", "of the record", func(r *soloRecord) *string { return &r.Kind },
								strictjson.Enum(string(protocol.KindSession), string(protocol.KindParticipant), string(protocol.KindIntent))),
							strictjson.Field("record", "the record", func(r *soloRecord) *jsontext.Value { return &r.Record }, strictjson.RawObjectView()),
						}
					},
				}), 0, protocol.MaxListItems)),
		}
	},
}

// solo gives the records of a room in which nothing was committed yet.
func (s *snapshot) solo() (map[recordKey]core.Stored, error) {
	if s.loads.solo != nil {
		return s.loads.solo, nil
	}
	s.loads.fresh++
	records, err := readSolo(s.loads.dir)
	if err != nil {
		return nil, s.note(err)
	}
	s.loads.solo = records
	return records, nil
}

// readSolo reads the solo area. A file torn by a power cut is an empty room: it was never promised.
func readSolo(dir vfs.Dir) (map[recordKey]core.Stored, error) {
	records := map[recordKey]core.Stored{}
	raw, err := dir.ReadFile(soloFile, maxSolo)
	if vfs.Missing(err) {
		return records, nil
	}
	if err != nil {
		return nil, readError(soloFile, err)
	}
	listed, err := soloFormat.Decode(raw)
	if err != nil {
		return records, nil
	}
	for _, l := range listed {
		r, err := protocol.DecodeRecord(protocol.Kind(l.Kind), l.Record)
		if err != nil {
			return map[recordKey]core.Stored{}, nil
		}
		records[recordKey{r.Kind(), r.Key()}] = core.Stored{Record: r}
	}
	return records, nil
}

// writeSolo replaces the solo area by the records as t leaves them.
func (w *writing) writeSolo(t *tx) error {
	if len(t.events) > 0 {
		return protocol.DataError("", "a solo room has no events")
	}
	before, err := t.solo()
	if err != nil {
		return err
	}
	raws := map[recordKey]jsontext.Value{}
	for key, stored := range before {
		if raws[key], err = protocol.AppendRecord(nil, stored.Record); err != nil {
			return err
		}
	}
	for key, change := range t.staged {
		raws[key] = change.raw
	}
	var all []soloRecord
	for key, raw := range raws {
		switch {
		case raw == nil:
		case key.kind == protocol.KindSession || key.kind == protocol.KindParticipant || key.kind == protocol.KindIntent:
			all = append(all, soloRecord{string(key.kind), raw})
		default:
			return protocol.DataError("", fmt.Sprintf("a %s cannot be kept solo", key.kind))
		}
	}
	slices.SortFunc(all, func(a, b soloRecord) int { return bytes.Compare(a.Record, b.Record) })
	data, err := soloFormat.AppendIndent(nil, &all)
	if err != nil {
		return protocol.DataError("", "the solo room cannot be written: "+err.Error())
	}
	w.store.step(StepSolo)
	if len(all) == 0 && w.solo {
		if err := w.dir.Remove(soloFile); err != nil && !vfs.Missing(err) {
			return notCommitted("the solo room cannot be ended", err)
		}
		return nil
	}
	if err := replace(w.dir, "", soloFile, data); err != nil {
		return notCommitted("the solo room cannot be kept", err)
	}
	return nil
}

// forgetSolo removes the solo records that the first commit has ended. They count for nothing any more,
// so it may fail.
func (w *writing) forgetSolo() { _ = w.dir.Remove(soloFile) }
