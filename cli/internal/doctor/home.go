package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
	for _, below := range []string{dir, e.Home.Workspaces(), e.Home.NativeWorkspaces(), e.Home.Runtime(), e.Home.Bin()} {
		e.checkMode(subjectHome, below)
	}
	return true
}

// checkModes looks at what lies in the directory of a store and at the files that hold keys.
func (e *examination) checkModes(dir string) {
	e.checkMode(subjectStore, dir)
	for _, below := range []string{"", "bindings"} {
		entries, err := os.ReadDir(filepath.Join(dir, below))
		if err != nil {
			continue // absent, or the store check has said more of it
		}
		for _, entry := range entries {
			e.checkMode(subjectStore, filepath.Join(dir, below, entry.Name()))
		}
	}
}

// checkMode tells of a path that others than its owner may look into or change. What is absent is fine.
func (e *examination) checkMode(subject, path string) {
	info, err := os.Lstat(path)
	if err != nil || runtime.GOOS == "windows" {
		return
	}
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0:
		e.fail(subject, path+" is a symbolic link, which acc does not follow", "replace it by what it points to")
	case mode.Perm()&0o077 != 0:
		private := "600"
		if mode.IsDir() {
			private = "700"
		}
		e.fail(subject, fmt.Sprintf("%s has mode %04o, so others may look into it", path, mode.Perm()), "chmod "+private+" "+quoted(path))
	}
}
