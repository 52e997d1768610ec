package command

import (
	"fmt"

	"github.com/acc-control-plane/acc/storage-filesystem/room"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// resourceName gives what the caller means by the name of a resource.
func resourceName(inv *Invocation, r *room.Room, written string) (workspace.Written, error) {
	cwd, err := inv.Cwd()
	if err != nil {
		return workspace.Written{}, err
	}
	return r.Workspace.Written(cwd, written)
}

// nameOnly warns of a name that is that of a directory: it is easily taken for everything in it.
func nameOnly(written string, w workspace.Written, instead string) []string {
	if w.Below == "" {
		return nil
	}
	return []string{fmt.Sprintf("%q is a directory, and %s covers no file in it; for everything in it: %s", written, w.Resource, fmt.Sprintf(instead, w.Below))}
}
