package fsstore

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// Inspect opens a store of this or of the earlier contract, to read single records (Get) and what is ephemeral,
// and gives its contract; 0: nothing was recorded there yet. An older or later one is refused as by Open.
func Inspect(ctx context.Context, opts Options) (s *Store, contract int, err error) {
	opts.Create, opts.Rebuild = false, false
	s, err = open(ctx, opts, true)
	if err != nil {
		return nil, 0, err
	}
	dir, err := s.openDir()
	if dir == nil || err != nil {
		return s, 0, err
	}
	defer dir.Close()
	id, found, err := s.settled(dir, false)
	if err != nil || !found {
		return s, 0, err
	}
	return s, int(id.StoreVersion), nil
}

// BindingFile is the file of an endpoint that some session published or gave up.
type BindingFile struct {
	Name    string // below the directory of the store
	Written time.Time
	Binding protocol.DeliveryBinding
	Err     error // why Binding is not known
}

// BindingFiles gives those of every session that ever published one, also of those that have ended. It reads
// all of them; hooks must not.
func (s *Store) BindingFiles() (all []BindingFile, err error) {
	err = ephemeral{s}.open(func(dir vfs.Dir) error {
		sessions, err := dir.List(bindingDir)
		if err != nil && !vfs.Missing(err) {
			return readError(bindingDir, err)
		}
		for _, session := range sessions {
			of := bindingDir + "/" + session.Name
			listed, err := dir.List(of)
			if err != nil && !vfs.Missing(err) {
				all = append(all, BindingFile{Name: of, Err: readError(of, err)})
				continue
			}
			for _, f := range listed {
				if b, found := readBinding(dir, of+"/"+f.Name); found {
					all = append(all, b)
				}
			}
		}
		return nil
	})
	return all, err
}

// readBinding reads one file; one that has gone meanwhile is found false.
func readBinding(dir vfs.Dir, name string) (b BindingFile, found bool) {
	b.Name = name
	at, err := dir.Stat(name)
	if err == nil {
		b.Written = at.ModTime
		var raw []byte
		if raw, err = dir.ReadFile(name, maxEphemeral); err == nil {
			b.Binding, err = protocol.DecodeBinding(raw)
		}
	}
	if vfs.Missing(err) {
		return b, false
	}
	if err != nil {
		b.Err = readError(name, err)
	}
	return b, true
}
