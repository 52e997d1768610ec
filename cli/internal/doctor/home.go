package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// checkHome looks at the directory that holds everything.
func (e *examination) checkHome() {
	dir := e.Home.Acc()
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.ok(subjectHome, dir+" is not there yet; the first session or installation makes it")
		return
	case err != nil:
		e.fail(subjectHome, "cannot look at "+dir+": "+err.Error(), "")
		return
	}
	opened, err := vfs.OS{}.Open(e.Home.Root, dir)
	if err != nil {
		e.fail(subjectHome, "cannot use "+dir+": "+err.Error(), "replace it by a directory of this user, or set ACC_DATA_HOME to another one")
		return
	}
	defer opened.Close()
	kind, network, err := opened.Kind()
	switch {
	case err != nil:
		e.warn(subjectHome, dir+", on a file system of unknown type: "+err.Error(), "")
	case network:
		e.fail(subjectHome, dir+" lies on a network file system ("+kind+"), where neither locks nor flushes can be relied on", "set ACC_DATA_HOME to a local directory")
	default:
		e.ok(subjectHome, dir+", on "+kind)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		e.warn(subjectHome, fmt.Sprintf("%s has mode %04o, so others may look into it", dir, info.Mode().Perm()), "chmod 700 "+quoted(dir))
	}
}
