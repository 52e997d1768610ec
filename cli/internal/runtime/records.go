package runtime

import (
	"github.com/acc-control-plane/acc/cli/internal/runtime/lockfile"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ReadRecord reads a record of the runtime that belongs to another package. An absent one is found false.
func ReadRecord[T any](m *Manager, path string, object *strictjson.Object[T]) (value T, found bool, err error) {
	return read(m, path, object)
}

// WriteRecord replaces such a record. When it returns without an error the record survives a power cut.
func WriteRecord[T any](m *Manager, path string, object *strictjson.Object[T], value *T) error {
	return write(m, path, object, value)
}

// TakeLock takes a lock of the runtime alone, or gives lockfile.ErrBusy at once.
func (m *Manager) TakeLock(path string) (*lockfile.Lock, error) {
	dir, err := m.directory(m.at.Locks())
	if err != nil {
		return nil, err
	}
	_ = dir.Close()
	if err := lockfile.Make(path); err != nil {
		return nil, failed("cannot make", path, err)
	}
	return lockfile.Take(path, lockfile.Exclusive)
}
