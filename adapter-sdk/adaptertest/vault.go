package adaptertest

import (
	"io/fs"
	"maps"
	"sync"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// Vault keeps the private records of endpoints in memory, for tests of live transports. The zero value is
// empty. It is safe for concurrent use.
type Vault struct {
	mu      sync.Mutex
	records map[string]string
}

var _ adapter.Vault = (*Vault)(nil)

// Keep implements adapter.Vault.
func (v *Vault) Keep(id string, record []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.records == nil {
		v.records = map[string]string{}
	}
	v.records[id] = string(record)
	return nil
}

// Record implements adapter.Vault.
func (v *Vault) Record(id string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	record, ok := v.records[id]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(record), nil
}

// Drop implements adapter.Vault.
func (v *Vault) Drop(id string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.records, id)
	return nil
}

// Records gives a copy of what is kept.
func (v *Vault) Records() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return maps.Clone(v.records)
}
