package hookrunner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// OwnerFile says which conversation speaks for which session, without the key: one file per conversation of a
// room, for diagnosis.
type OwnerFile struct {
	Path          string
	AdapterID     string
	SessionID     string // acc's
	GenerationRef string
	// Follows says that the pair was chosen after the end of an earlier one of the conversation. Its session is
	// not on record until the conversation goes on, which it may never do.
	Follows bool
	// Err says why hooks of the conversation cannot use the file: it is damaged, unsafe, or another
	// conversation's. AdapterID and the others are then empty.
	Err error
}

// ReadOwnerFiles gives the owner file in use of every conversation of the room whose store lies in dir, below
// base. The error is for a directory that cannot be listed.
func ReadOwnerFiles(base, dir string) ([]OwnerFile, error) {
	bindingsHere := filepath.Join(dir, bindingsDir)
	entries, err := os.ReadDir(bindingsHere)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, protocol.DataError("", "cannot list "+bindingsHere).Because(err)
	}
	tree := privatefile.Below(base)
	var all []OwnerFile
	for _, entry := range entries {
		stem, isJSON := strings.CutSuffix(entry.Name(), ".json")
		if !isJSON || len(stem) != stemHex {
			continue // what lies beside it: successors, diagnostics
		}
		f := ownerFile(tree, filepath.Join(bindingsHere, entry.Name()), stem)
		f.Follows = f.Err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			if e.Name() == entry.Name() || !strings.HasPrefix(e.Name(), stem+".") || !strings.HasSuffix(e.Name(), ".json") {
				return false
			}
			after := ownerFile(tree, filepath.Join(bindingsHere, e.Name()), stem)
			return after.Err == nil && after.SessionID == f.SessionID && after.GenerationRef == f.GenerationRef
		})
		all = append(all, f)
	}
	return all, nil
}

func ownerFile(tree *privatefile.Tree, path, stem string) OwnerFile {
	data, err := tree.Read(path, maxBindingBytes)
	if err != nil {
		return OwnerFile{Path: path, Err: err}
	}
	b, err := bindings.Decode(data)
	if err != nil {
		return OwnerFile{Path: path, Err: err}
	}
	if protocol.RoomRef(b.adapterID, b.nativeID)[len(protocol.RoomScheme):][:stemHex] != stem {
		return OwnerFile{Path: path, Err: errForeignBinding}
	}
	return OwnerFile{Path: path, AdapterID: b.adapterID, SessionID: b.sessionID, GenerationRef: protocol.GenerationRef(b.generation)}
}
