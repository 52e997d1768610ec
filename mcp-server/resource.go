package mcpserver

import (
	"fmt"

	"github.com/acc-control-plane/acc/storage-filesystem/room"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// resourceName gives what a model means by the name of a resource. A bare path starts at the directory of the
// room that the server was started for.
func resourceName(r *room.Room, written string) (workspace.Written, error) {
	return r.Workspace.Written(r.Workspace.Dir, written)
}

// nameOnly warns of a name that is that of a directory: it is easily taken for everything in it.
func nameOnly(c call, w workspace.Written) string {
	if w.Below == "" {
		return ""
	}
	return fmt.Sprintf("\nwarning: %s is a directory and covers no file in it; for everything in it: %s", c.write.Line(w.Resource), c.write.Line(w.Below))
}
