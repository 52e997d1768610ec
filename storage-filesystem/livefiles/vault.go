package livefiles

import (
	"path/filepath"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// Vault keeps the private records of endpoints in <data home>/acc/live-endpoints, where no sandboxed tool
// may write: whoever could would direct wakes elsewhere.
type Vault struct{ base, dir string }

// NewVault gives the vault of a data home.
func NewVault(home datahome.Home) Vault {
	return Vault{base: home.Root, dir: filepath.Join(home.Acc(), "live-endpoints")}
}

// maxEndpointID is how many characters the id of a record may have.
const maxEndpointID = 100

// Keep replaces a record.
func (v Vault) Keep(id string, record []byte) error {
	path, err := v.path(id)
	if err != nil {
		return err
	}
	if len(record) > maxFile {
		return protocol.DataError("", "the record of an endpoint is too long")
	}
	return privatefile.Write(v.base, path, record)
}

// Record gives a record; os.ErrNotExist if there is none.
func (v Vault) Record(id string) ([]byte, error) {
	path, err := v.path(id)
	if err != nil {
		return nil, err
	}
	return privatefile.ReadBelow(v.base, path, maxFile)
}

// Drop removes a record; it is no error if there is none.
func (v Vault) Drop(id string) error {
	path, err := v.path(id)
	if err != nil {
		return err
	}
	return privatefile.Remove(v.base, path)
}

// path refuses an id that is no name of a file: it comes out of a binding, which a tool may have written.
func (v Vault) path(id string) (string, error) {
	if problem := protocol.PortableIDProblem(id); problem != "" || len(id) > maxEndpointID {
		return "", protocol.DataError("", "that is no reference to an endpoint")
	}
	return filepath.Join(v.dir, id+".json"), nil
}
