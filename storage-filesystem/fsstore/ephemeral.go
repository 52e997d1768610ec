package fsstore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

const maxEphemeral = 64 << 10 // bytes of a beat or binding

// ephemeral implements core.Ephemeral: one file for each fact, replaced as a whole, never flushed.
type ephemeral struct{ store *Store }

// Ephemeral implements core.Store.
func (s *Store) Ephemeral() core.Ephemeral { return ephemeral{s} }

// beatFile is where the beat of one session generation lies; bindingFile is in a directory of its own,
// so that all bindings of a generation are found without looking at those of others.
func beatFile(sessionID, generationRef string) string {
	return presenceDir + "/" + sessionID + "." + generationRef + ".json"
}

func bindingsOf(sessionID, generationRef string) string {
	return bindingDir + "/" + sessionID + "." + generationRef
}

func (e ephemeral) PutBeat(_ context.Context, b protocol.PresenceBeat) error {
	raw, err := protocol.AppendBeat(nil, b)
	if err != nil {
		return err
	}
	return e.put(beatFile(b.SessionID, b.GenerationRef), raw)
}

func (e ephemeral) Beat(_ context.Context, sessionID, generationRef string) (b protocol.PresenceBeat, found bool, err error) {
	if !portable(sessionID) || !portable(generationRef) {
		return b, false, nil
	}
	err = e.open(func(dir vfs.Dir) error {
		name := beatFile(sessionID, generationRef)
		raw, err := dir.ReadFile(name, maxEphemeral)
		if vfs.Missing(err) {
			return nil
		}
		if err != nil {
			return readError(name, err)
		}
		b, err = protocol.DecodeBeat(raw)
		found = err == nil && b.SessionID == sessionID && b.GenerationRef == generationRef
		return nil // torn by a power cut: it may be lost
	})
	return b, found, err
}

func (e ephemeral) RemoveBeat(_ context.Context, sessionID, generationRef string) error {
	if !portable(sessionID) || !portable(generationRef) {
		return nil
	}
	return e.remove(beatFile(sessionID, generationRef))
}

func (e ephemeral) PutBinding(_ context.Context, b protocol.DeliveryBinding) error {
	raw, err := protocol.AppendBinding(nil, b)
	if err != nil {
		return err
	}
	return e.put(bindingsOf(b.SessionID, protocol.GenerationRef(b.Generation))+"/"+b.AdapterID+".json", raw)
}

func (e ephemeral) Bindings(_ context.Context, sessionID, generationRef string) (all []protocol.DeliveryBinding, err error) {
	if !portable(sessionID) || !portable(generationRef) {
		return nil, nil
	}
	err = e.open(func(dir vfs.Dir) error {
		of := bindingsOf(sessionID, generationRef)
		listed, err := dir.List(of)
		if vfs.Missing(err) {
			return nil
		}
		if err != nil {
			return readError(of, err)
		}
		for _, f := range listed {
			raw, err := dir.ReadFile(of+"/"+f.Name, maxEphemeral)
			if vfs.Missing(err) {
				continue
			}
			if err != nil {
				return readError(of+"/"+f.Name, err)
			}
			b, err := protocol.DecodeBinding(raw)
			if err == nil && b.SessionID == sessionID && protocol.GenerationRef(b.Generation) == generationRef {
				all = append(all, b)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b protocol.DeliveryBinding) int { return strings.Compare(a.AdapterID, b.AdapterID) })
	return all, err
}

func (e ephemeral) RemoveBinding(_ context.Context, sessionID, generationRef, adapterID string) error {
	if !portable(sessionID) || !portable(generationRef) || !portable(adapterID) {
		return nil
	}
	return e.remove(bindingsOf(sessionID, generationRef) + "/" + adapterID + ".json")
}

// open runs fn on the directory of the store; without a store there is nothing to do.
func (e ephemeral) open(fn func(vfs.Dir) error) error {
	dir, err := e.store.openDir()
	if dir == nil || err != nil {
		return err
	}
	defer dir.Close()
	if _, _, err := e.store.settled(dir, false); err != nil {
		return err
	}
	return fn(dir)
}

func (e ephemeral) put(name string, raw []byte) error {
	data, err := strictjson.AppendIndent(nil, raw)
	if err != nil {
		return protocol.Malformed("ephemeral record", err)
	}
	for range maxVanished {
		if err := e.putOnce(name, data); !errors.Is(err, errVanished) {
			return err
		}
	}
	return e.store.vanishes()
}

func (e ephemeral) putOnce(name string, data []byte) error {
	dir, err := e.store.openForWriting()
	if err != nil {
		return err
	}
	defer dir.Close()
	if _, found, err := e.store.settled(dir, false); err != nil {
		return err
	} else if !found && !e.store.opts.Create {
		return e.store.absent()
	}
	err = replace(dir, "", name, data)
	if vfs.Missing(err) {
		return errVanished
	}
	if err != nil {
		return writeError(name, err)
	}
	return nil
}

func (e ephemeral) remove(name string) error {
	return e.open(func(dir vfs.Dir) error {
		if err := dir.Remove(name); err != nil && !vfs.Missing(err) {
			return writeError(name, err)
		}
		return nil
	})
}
