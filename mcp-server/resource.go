package mcpserver

import (
	"cmp"
	"strings"

	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

const fileScheme = "file:"

// resourceName gives the stored name of what a model wrote. A bare path starts at the directory of the
// room that the server was started for. A file: name is what answers show and starts where stored names
// start, so that it can always be given back. Names of other schemes stay as they are.
func resourceName(r *room.Room, written string) (string, error) {
	d := r.Workspace
	if path, isFile := strings.CutPrefix(written, fileScheme); isFile {
		return d.Resource(cmp.Or(d.ConfigDir, d.CheckoutRoot()), path)
	}
	if hasScheme(written) {
		return written, nil
	}
	return d.Resource(d.Dir, written)
}

// hasScheme says whether a name begins with a URI scheme. One letter is a Windows drive.
func hasScheme(name string) bool {
	scheme, _, found := strings.Cut(name, ":")
	if !found || len(scheme) < 2 {
		return false
	}
	for i, c := range scheme {
		letter := c >= 'a' && c <= 'z'
		inner := c >= '0' && c <= '9' || c == '+' || c == '.' || c == '-'
		if !letter && (i == 0 || !inner) {
			return false
		}
	}
	return true
}
