package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// checkHomeModes looks at what lies above the rooms.
func (e *examination) checkHomeModes() {
	e.checkModes([]string{e.Home.Acc(), e.Home.Workspaces(), e.Home.NativeWorkspaces(), e.Home.Runtime(), e.Home.Bin()}, e.Home.Acc())
}

// checkRoomModes looks at every file and directory of a room: keys lie in some, and what was written in all others.
func (e *examination) checkRoomModes(dir string) {
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			all = append(all, path)
		}
		return nil // absent, or the store check says more of it
	})
	if err == nil && e.checkModes(all, dir) == 0 && len(all) > 0 && runtime.GOOS != "windows" {
		e.ok(subjectModes, fmt.Sprintf("%d files and directories of the room are for this user alone", len(all)))
	}
}

// checkModes tells of paths that others than their owner may look into or change, and of links, and counts them.
// What is absent is fine.
func (e *examination) checkModes(paths []string, root string) (found int) {
	if runtime.GOOS == "windows" {
		return 0
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if found++; found > MaxPaths {
			continue
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			e.fail(subjectModes, path+" is a symbolic link, which acc does not follow", "replace it by what it points to")
			continue
		}
		private := "600"
		if info.IsDir() {
			private = "700"
		}
		e.fail(subjectModes, fmt.Sprintf("%s has mode %04o, so others may look into it", path, info.Mode().Perm()), "chmod "+private+" "+quoted(path))
	}
	if found > MaxPaths {
		e.fail(subjectModes, fmt.Sprintf("and %d more", found-MaxPaths), "chmod -R go= "+quoted(root))
	}
	return found
}
