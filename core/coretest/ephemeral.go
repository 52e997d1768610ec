package coretest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/acc-control-plane/acc/protocol"
)

// ephemeral implements core.Ephemeral.
type ephemeral struct {
	mu       sync.Mutex
	beats    map[owner]protocol.PresenceBeat
	bindings map[owner]map[string]protocol.DeliveryBinding
}

type owner struct{ sessionID, generationRef string }

func newEphemeral() *ephemeral {
	return &ephemeral{beats: map[owner]protocol.PresenceBeat{}, bindings: map[owner]map[string]protocol.DeliveryBinding{}}
}

// PutBeat implements core.Ephemeral.
func (e *ephemeral) PutBeat(_ context.Context, b protocol.PresenceBeat) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beats[owner{b.SessionID, b.GenerationRef}] = b
	return nil
}

// Beat implements core.Ephemeral.
func (e *ephemeral) Beat(_ context.Context, sessionID, generationRef string) (protocol.PresenceBeat, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, found := e.beats[owner{sessionID, generationRef}]
	return b, found, nil
}

// RemoveBeat implements core.Ephemeral.
func (e *ephemeral) RemoveBeat(_ context.Context, sessionID, generationRef string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.beats, owner{sessionID, generationRef})
	return nil
}

// PutBinding implements core.Ephemeral.
func (e *ephemeral) PutBinding(_ context.Context, b protocol.DeliveryBinding) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := owner{b.SessionID, protocol.GenerationRef(b.Generation)}
	if e.bindings[key] == nil {
		e.bindings[key] = map[string]protocol.DeliveryBinding{}
	}
	b.AvailableModes = slices.Clone(b.AvailableModes)
	e.bindings[key][b.AdapterID] = b
	return nil
}

// Bindings implements core.Ephemeral.
func (e *ephemeral) Bindings(_ context.Context, sessionID, generationRef string) ([]protocol.DeliveryBinding, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []protocol.DeliveryBinding
	for _, b := range e.bindings[owner{sessionID, generationRef}] {
		b.AvailableModes = slices.Clone(b.AvailableModes)
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b protocol.DeliveryBinding) int { return cmp.Compare(a.AdapterID, b.AdapterID) })
	return all, nil
}

// RemoveBinding implements core.Ephemeral.
func (e *ephemeral) RemoveBinding(_ context.Context, sessionID, generationRef, adapterID string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.bindings[owner{sessionID, generationRef}], adapterID)
	return nil
}
