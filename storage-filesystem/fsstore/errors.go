package fsstore

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// corrupt says that primary data is damaged: nothing was changed.
func corrupt(file string, offset int64, what string) *protocol.Error {
	return protocol.DataError(protocol.ReasonStoreCorrupt,
		fmt.Sprintf("%s is damaged at offset %d: %s", file, offset, what)).
		With("file", file).With("offset", offset).
		WithHint("acc doctor names everything that is damaged; nothing was changed")
}

// readError says that a file could not be read.
func readError(name string, err error) *protocol.Error { return ioError("cannot read "+name, err) }

// writeError says that a file could not be written.
func writeError(name string, err error) *protocol.Error { return ioError("cannot write "+name, err) }

func ioError(what string, err error) *protocol.Error {
	var known *protocol.Error
	if errors.As(err, &known) {
		return known
	}
	var unsafe *vfs.UnsafeError
	if errors.As(err, &unsafe) {
		return protocol.DataError(protocol.ReasonPathUnsafe, fmt.Sprintf("%s: %s", what, unsafe.Error())).
			WithHint("replace it by a real file or directory of this user").Because(err)
	}
	cause := err
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Err
	}
	return protocol.DataError("", fmt.Sprintf("%s: %v", what, cause)).Because(err)
}
