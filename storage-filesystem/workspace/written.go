package workspace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// Written is what somebody means by the name of a resource that they wrote.
type Written struct {
	Resource string // as it is stored
	// Below is how to write everything in it where the name is that of a directory that exists: the name
	// alone covers no file in it. Empty: it is none.
	Below string
}

// Written gives the stored name of what somebody wrote whose current directory is cwd. A bare path starts
// there. A file: name is a URI and starts where stored names start, whatever the directory, so that a name
// that was printed can always be given back. Names of other schemes stay as they are. What could be meant as
// either is refused with Code Usage, and the hint says how to write each.
func (d Descriptor) Written(cwd, name string) (Written, error) {
	if strings.TrimSpace(name) == "" {
		return Written{}, protocol.UsageError(protocol.ReasonUnclaimable, "the name of the resource is blank")
	}
	path, isFile, err := resource.Path(name)
	if err != nil {
		return Written{}, err
	}
	if isFile {
		return d.file(cmp.Or(d.ConfigDir, d.CheckoutRoot()), path, name)
	}
	if scheme, ok := resource.Scheme(name); ok && !drive(name) {
		if len(scheme) == 1 {
			return Written{}, protocol.UsageError(protocol.ReasonUnclaimable, fmt.Sprintf("%q is neither a path nor a name with a scheme: one letter before a colon is a drive", name)).
				WithHint("write ./" + name + " for a file of that name")
		}
		if lower := strings.ToLower(scheme); lower != scheme {
			return Written{}, protocol.UsageError(protocol.ReasonUnclaimable, fmt.Sprintf("%q is neither a path nor a name with a scheme: a scheme has no capitals", name)).
				WithHint("write " + lower + name[len(scheme):] + ", or ./" + name + " for a file of that name")
		}
		return Written{Resource: name}, nil
	}
	return d.file(cwd, name, name)
}

// drive says whether a name is an absolute path that begins with a drive.
func drive(name string) bool {
	return runtime.GOOS == "windows" && filepath.IsAbs(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
}

func (d Descriptor) file(cwd, path, written string) (Written, error) {
	name, err := d.Resource(cwd, path)
	if err != nil || strings.HasSuffix(name, everythingBelow) {
		return Written{Resource: name}, err
	}
	at, err := d.target(cwd, strings.ReplaceAll(path, `\`, "/"))
	if err != nil {
		return Written{}, err
	}
	w := Written{Resource: name}
	if info, err := os.Lstat(at.path); err == nil && info.IsDir() {
		w.Below = written + everythingBelow
	}
	return w, nil
}
