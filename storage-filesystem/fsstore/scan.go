package fsstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// listed gives every entry of an index under key, in order, by looking at every record of its kind. It
// answers for a solo room, and is what the indexes are compared with.
func (s *snapshot) listed(kind protocol.Kind, index core.Index, key []string, staged map[recordKey]*stagedRecord) ([]core.Entry, error) {
	keys, err := s.keys(kind)
	if err != nil {
		return nil, err
	}
	for k := range staged {
		if k.kind == kind && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	var found []core.Entry
	for _, k := range keys {
		stored, exists, err := s.get(k)
		if change, ok := staged[k]; ok {
			stored, exists, err = change.stored, change.stored.Record != nil, nil
		}
		if err != nil {
			return nil, err
		}
		if exists && lists(stored.Record, index, key) {
			found = append(found, core.Entry{Position: stored.Created, ID: k.id})
		}
	}
	slices.SortFunc(found, compareEntries)
	return found, nil
}

// keys gives every record of a kind that may exist in the snapshot.
func (s *snapshot) keys(kind protocol.Kind) ([]recordKey, error) {
	var keys []recordKey
	if s.at.Generation == 0 {
		solo, err := s.solo()
		for k := range solo {
			if k.kind == kind {
				keys = append(keys, k)
			}
		}
		return keys, err
	}
	onDisk, err := s.loads.kind(kind)
	if err != nil {
		return nil, err
	}
	keys = slices.Clone(onDisk)
	for k := range s.overlay.images {
		if _, ok := slices.BinarySearchFunc(onDisk, k, compareKeys); !ok && k.kind == kind {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// kind lists the state files of a kind, sorted by id.
func (c *loads) kind(kind protocol.Kind) ([]recordKey, error) {
	if keys, ok := c.kinds[kind]; ok {
		return keys, nil
	}
	if c.gone {
		return nil, nil
	}
	c.fresh++
	keys, err := listState(c.dir, kind)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		if err := c.checkState(); err != nil {
			return nil, err
		}
	}
	c.kinds[kind] = keys
	return keys, nil
}

func listState(dir vfs.Dir, kind protocol.Kind) ([]recordKey, error) {
	root := stateDir + "/" + string(kind)
	parts, err := dir.List(root)
	if vfs.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(root, err)
	}
	var keys []recordKey
	for _, part := range parts {
		files, err := dir.List(root + "/" + part.Name)
		if err != nil && !vfs.Missing(err) {
			return nil, readError(root+"/"+part.Name, err)
		}
		for _, f := range files {
			if id, ok := strings.CutSuffix(f.Name, ".json"); ok && portable(id) {
				keys = append(keys, recordKey{kind, id})
			}
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys, nil
}

// lists says whether core derives the place [index, key] from r.
func lists(r protocol.Record, index core.Index, key []string) bool {
	return slices.ContainsFunc(core.Keys(r), func(k core.IndexKey) bool {
		return k.Index == index && slices.Equal(k.Key, key)
	})
}

// page cuts the part of sorted entries that q asks for.
func page(all []core.Entry, q core.Query) []core.Entry {
	if q.After != nil {
		i, exact := slices.BinarySearchFunc(all, *q.After, compareEntries)
		switch {
		case q.Reverse:
			all = all[:i]
		case exact:
			all = all[i+1:]
		default:
			all = all[i:]
		}
	}
	if q.Reverse {
		slices.Reverse(all)
	}
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return all
}

func compareEntries(a, b core.Entry) int {
	return cmp.Or(cmp.Compare(a.Position, b.Position), strings.Compare(a.ID, b.ID))
}

func compareKeys(a, b recordKey) int {
	return cmp.Or(strings.Compare(string(a.kind), string(b.kind)), strings.Compare(a.id, b.id))
}
