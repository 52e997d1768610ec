package command

import (
	"cmp"
	"strings"

	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

const fileScheme = "file:"

// resourceName gives the stored name of what the caller wrote. A bare path starts at the caller's
// directory. A file: name is what status prints and starts where stored names start, whatever the
// directory, so that a printed name can always be given back. Names of other schemes stay as they are.
func resourceName(inv *Invocation, r *room.Room, written string) (string, error) {
	if path, isFile := strings.CutPrefix(written, fileScheme); isFile {
		return r.Workspace.Resource(cmp.Or(r.Workspace.ConfigDir, r.Workspace.CheckoutRoot()), path)
	}
	if hasScheme(written) {
		return written, nil
	}
	cwd, err := inv.Cwd()
	if err != nil {
		return "", err
	}
	return r.Workspace.Resource(cwd, written)
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
