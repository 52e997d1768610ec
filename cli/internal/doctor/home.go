package doctor

import (
	"errors"
	"io/fs"
	"os"
)

// checkHome looks at the directory that holds everything. It says whether that can be used at all: without it
// every other check would fail of the same cause, and send its reader elsewhere.
func (e *examination) checkHome() bool {
	dir := e.Home.Acc()
	_, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.ok(subjectHome, dir+" is not there yet; the first session or installation makes it")
		return true
	case err != nil:
		e.fail(subjectHome, "cannot look at "+dir+": "+err.Error(), "make it a directory that this user can read, or set ACC_DATA_HOME to another one")
		return false
	}
	opened, err := e.FS.Open(e.Home.Root, dir)
	if err != nil {
		e.fail(subjectHome, "cannot use "+dir+": "+err.Error(), "replace it by a directory of this user, or set ACC_DATA_HOME to another one")
		return false
	}
	defer opened.Close()
	kind, network, err := opened.Kind()
	switch {
	case err != nil:
		e.warn(subjectHome, dir+", on a file system of unknown type: "+err.Error(), "make sure that it is on a local disk: df "+quoted(dir))
	case network:
		e.fail(subjectHome, dir+" lies on a network file system ("+kind+"), where neither locks nor flushes can be relied on", "set ACC_DATA_HOME to a local directory")
	default:
		e.ok(subjectHome, dir+", on "+kind)
	}
	e.checkHomeModes()
	return true
}
