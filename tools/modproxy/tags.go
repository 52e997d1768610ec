package main

import (
	"fmt"

	"golang.org/x/mod/semver"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Tags gives the tags of a release: the version itself, and for every module its directory and the version,
// under which the go command looks for it. Siblings must require each other at that version already.
func Tags(root, version string) ([]string, error) {
	if semver.Canonical(version) != version || version == "" {
		return nil, fmt.Errorf("%q is no version v1.2.3", version)
	}
	if version != worktree.Version {
		return nil, fmt.Errorf("siblings require each other at %s; that is the version that can be released", worktree.Version)
	}
	modules, err := worktree.Modules(root)
	tags := []string{version}
	for _, m := range modules {
		tags = append(tags, m.Dir+"/"+version)
	}
	return tags, err
}
