package workspace

import (
	"fmt"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// CheckContainment refuses a data home that lies in a root of the room or in its repository, and a room
// that lies in the data home, also through symlinks: the first would put the records of a room into a
// project, the second a project among the records. The error has Code Usage and
// ReasonWorkspaceContainsStore. The usual cause is a session that was started in the home directory.
func (d Descriptor) CheckContainment(home datahome.Home) error {
	data, err := resolveFrom(d.Dir, home.Acc())
	if err != nil {
		return err
	}
	guarded := d.Roots
	if d.Git != nil {
		guarded = append(guarded[:len(guarded):len(guarded)], d.Git.CommonDir)
	}
	for _, root := range guarded {
		if _, inside := within(root, data.path); inside {
			return containment(fmt.Sprintf("the workspace %s contains acc's data in %s", root, data.path), root, data.path).
				WithHint("start the client in a project directory below " + root + ", or set " + datahome.Variable + " to a directory outside of it")
		}
		if _, inside := within(data.path, root); inside {
			return containment(fmt.Sprintf("the workspace %s lies in acc's data in %s", root, data.path), root, data.path).
				WithHint("start the client in a project directory outside of it")
		}
	}
	return nil
}

func containment(message, root, data string) *protocol.Error {
	return protocol.UsageError(protocol.ReasonWorkspaceContainsStore, message).With("root", root).With("dataDirectory", data)
}
