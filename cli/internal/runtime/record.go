package runtime

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Records are small files of this user alone (0600 in directories of 0700), each replaced as a whole. What is
// written is flushed, and so is the directory: a record that was answered for is there after a power cut.

// partial begins the name of a record that is being written. Nobody reads one.
const partial = ".record-"

// directory opens a directory of the runtime, making it and those above it.
func (m *Manager) directory(path string) (vfs.Dir, error) {
	dir, err := vfs.OS{}.Create(m.at.Base, path)
	if err != nil {
		return nil, failed("cannot use", path, err)
	}
	return dir, nil
}

// prepared is a record that lies flushed beside its place.
type prepared struct {
	dir        vfs.Dir
	from, name string
	path       string
}

// prepare writes a record beside its place, so that only a rename is left to be done under a lock.
func prepare[T any](m *Manager, path string, object *strictjson.Object[T], value *T) (*prepared, error) {
	raw, err := object.AppendIndent(nil, value)
	if err != nil {
		return nil, protocol.Malformed(path, err)
	}
	dir, err := m.directory(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	p := &prepared{dir: dir, from: partial + hex.EncodeToString(nonce[:]), name: filepath.Base(path), path: path}
	if err := writeNew(dir, p.from, raw); err != nil {
		p.drop()
		return nil, failed("cannot write", path, err)
	}
	return p, nil
}

func writeNew(dir vfs.Dir, name string, raw []byte) error {
	f, err := dir.Open(name, vfs.Create)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(raw, 0)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// publish puts the record in its place. When it fails nobody knows whether it is there.
func (p *prepared) publish() error {
	defer p.dir.Close()
	err := p.dir.Rename(p.from, p.name)
	if err != nil {
		_ = p.dir.Remove(p.from)
		return failed("cannot write", p.path, err)
	}
	if err := p.dir.SyncDir(""); err != nil {
		return failed("cannot write", p.path, err)
	}
	return nil
}

// drop takes the record back before it was published.
func (p *prepared) drop() {
	_ = p.dir.Remove(p.from)
	p.dir.Close()
}

// write prepares a record and publishes it.
func write[T any](m *Manager, path string, object *strictjson.Object[T], value *T) error {
	p, err := prepare(m, path, object, value)
	if err != nil {
		return err
	}
	return p.publish()
}

// read reads a record. An absent one is found false; anything that is not as it was written is an error.
func read[T any](m *Manager, path string, object *strictjson.Object[T]) (value T, found bool, err error) {
	dir, err := vfs.OS{}.Open(m.at.Base, filepath.Dir(path))
	if vfs.Missing(err) {
		return value, false, nil
	}
	if err != nil {
		return value, false, failed("cannot read", path, err)
	}
	defer dir.Close()
	raw, err := dir.ReadFile(filepath.Base(path), int64(object.MaxBytes))
	if vfs.Missing(err) {
		return value, false, nil
	}
	if err != nil {
		return value, false, failed("cannot read", path, err)
	}
	value, err = object.Decode(raw)
	if err != nil {
		return value, false, protocol.DataError(ReasonRecordDamaged, fmt.Sprintf("%s is damaged: %v", path, err)).
			With("file", path).WithHint("acc doctor").Because(err)
	}
	return value, true, nil
}
