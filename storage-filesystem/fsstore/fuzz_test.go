package fsstore

import (
	"bytes"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
)

// Whatever lies in a file of ours, no reader of it fails in another way than by saying so, and what it accepts is what
// it would have written: it comes back the same.

var fuzzTag = frame.NewTag("workspace", "2026-11-30T09:00:00.000Z")

func FuzzTransaction(f *testing.F) {
	f.Add([]byte(`{"generation":1,"firstSequence":"0000000000000001","at":"2026-11-30T09:00:00.000Z"}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		got, err := decodeTransaction(payload)
		if err != nil {
			return
		}
		again, err := decodeTransaction(got.encode())
		if len(got.Events) > 0 {
			again.At = got.At // events say when it was
		}
		if err != nil || !sameTransaction(got, again) {
			t.Fatalf("%s was read as %+v, written as %s and read as %+v, %v", payload, got, got.encode(), again, err)
		}
		e := entry{transaction: got, place: place{Generation: uint64(got.Generation)}}
		o := newOverlay()
		o.add([]entry{e})
		_ = e.listings("", storedInFrame, func(listing) {})
		for _, key := range o.keys() {
			if !filepath.IsLocal(key.file()) || path.Clean(key.file()) != key.file() {
				t.Fatalf("a record would lie in %s", key.file())
			}
			if m := o.images[key]; m.record != nil {
				_, _ = m.stored(key, "frame")
			}
		}
	})
}

func sameTransaction(a, b transaction) bool {
	return a.Generation == b.Generation && a.FirstSequence == b.FirstSequence && a.Keys == b.Keys && a.At.Equal(b.At) &&
		slices.EqualFunc(a.Events, b.Events, func(x, y jsontext.Value) bool { return bytes.Equal(x, y) }) &&
		len(a.Puts) == len(b.Puts) && len(a.Removes) == len(b.Removes)
}

func FuzzState(f *testing.F) {
	f.Add("ada", []byte(`{"kind":"participant","id":"ada","created":1,"generation":2,"record":{}}`))
	f.Fuzz(func(t *testing.T, id string, raw []byte) {
		key := recordKey{protocol.KindParticipant, id}
		m, err := decodeState(key, raw)
		if err != nil || !portable(id) {
			return
		}
		written, err := m.compact().state(key)
		if err != nil {
			t.Fatalf("%s cannot be written again: %v", raw, err)
		}
		again, err := decodeState(key, written)
		if err != nil || again.generation != m.generation || again.created != m.created || !bytes.Equal(again.compact().record, m.compact().record) {
			t.Fatalf("%s became %s, %v", raw, written, err)
		}
		_, _ = m.stored(key, "state")
	})
}

func FuzzMark(f *testing.F) {
	raw, err := (&mark{"boot", place{3, 7, 1, 60, 500, 42}}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := decodeMark(raw)
		if m == nil {
			return
		}
		written, err := m.encode()
		if err != nil {
			t.Skip() // longer than the place for it
		}
		if again := decodeMark(written); again == nil || *again != *m {
			t.Fatalf("%+v became %+v", m, again)
		}
	})
}

func FuzzManifest(f *testing.F) {
	raw, err := (&manifest{place{3, 7, 1, 60, 500, 42}, map[core.Index]string{core.Participants: string(bytes.Repeat([]byte("0a"), 32))}}).encode(fuzzTag)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := decodeManifest(raw, fuzzTag)
		if m == nil {
			return
		}
		for name := range m.roots {
			if !slices.Contains(core.Indexes[:], name) {
				return // an index of another version
			}
		}
		written, err := m.encode(fuzzTag)
		if err != nil {
			t.Fatal(err)
		}
		if again := decodeManifest(written, fuzzTag); again == nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%+v became %+v", m, again)
		}
	})
}

// FuzzSmallFiles reads the same bytes as each of the small files: identity, floor, time of the sweep, pages of the
// sweep, solo records, and the text of the lock.
func FuzzSmallFiles(f *testing.F) {
	id := identity{layoutName, protocol.StoreVersion, "workspace", time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	raw, err := identityFormat.AppendIndent(nil, &id)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"trimmedThrough":"0000000000000042"}`))
	f.Add([]byte(`{"records":[{"kind":"participant","record":{}}]}`))
	s := &Store{opts: Options{WorkspaceID: "workspace", Dir: "/store"}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got, err := s.parseIdentity(raw); err == nil && (got.Layout != layoutName || got.WorkspaceID != "workspace" || got.StoreVersion != protocol.StoreVersion) {
			t.Fatalf("%s was taken for the identity of this store", raw)
		}
		if r, err := retentionFormat.Decode(raw); err == nil {
			if _, err := protocol.ParseSequence(r.TrimmedThrough); err != nil {
				t.Fatalf("a floor of %q was accepted", r.TrimmedThrough)
			}
		}
		_, _ = sweptFormat.Decode(raw)
		for page := range decodeMarks(raw) {
			if page == "" {
				t.Fatal("a page without a name is in use")
			}
		}
		if listed, err := soloFormat.Decode(raw); err == nil {
			for _, l := range listed {
				_, _ = protocol.DecodeRecord(protocol.Kind(l.Kind), l.Record)
			}
		}
		for _, c := range []byte(printable(raw)) {
			if c < ' ' || c > '~' {
				t.Fatalf("byte %x of a lock file reaches a terminal", c)
			}
		}
	})
}
