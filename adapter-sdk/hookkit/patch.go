package hookkit

import "strings"

// patchHeads begin the lines of a patch that name a file.
var patchHeads = [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}

// PatchTargets gives the files that a patch in the form of the apply_patch tool writes, in its order.
func PatchTargets(patch string) []string {
	var files []string
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		for _, head := range patchHeads {
			if name, ok := strings.CutPrefix(line, head); ok && strings.TrimSpace(name) != "" {
				files = append(files, strings.TrimSpace(name))
			}
		}
	}
	return files
}
