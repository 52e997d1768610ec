// Command changelog keeps the fragments in changes and the changelog that is made of them.
//
//	go run ./tools/changelog check           every fragment has a kind and a text
//	go run ./tools/changelog check REVISION  and there is one if the product changed since that revision
//	go run ./tools/changelog release X.Y.Z   move the fragments into CHANGELOG.md
//
// A change that nobody outside can notice needs no fragment: a commit since the revision says so with the
// line "Changelog: none". Start reading at fragments.go.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/acc-control-plane/acc/tools/worktree"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "changelog:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	root, err := worktree.FindRoot(".")
	if err != nil {
		return err
	}
	all, err := Fragments(filepath.Join(root, "changes"))
	switch {
	case err != nil:
		return err
	case len(args) == 1 && args[0] == "check":
		return nil
	case len(args) == 2 && args[0] == "check":
		return since(root, args[1])
	case len(args) == 2 && args[0] == "release":
		return release(root, args[1], all)
	}
	return errors.New("what to do? check [REVISION], or release X.Y.Z")
}

// since insists on a fragment if something that is shipped changed since a revision.
func since(root, revision string) error {
	files, err := git(root, "diff", "--name-only", revision)
	if err != nil {
		return err
	}
	if !Wanted(strings.Fields(files)) {
		return nil
	}
	said, err := git(root, "log", "--format=%(trailers:key=Changelog,valueonly)", revision+"..HEAD")
	if err != nil || strings.Contains(said, "none") {
		return err
	}
	return fmt.Errorf("the product changed since %s and changes has no new file: add one (changes/README.md says how), "+
		"or end a commit message with the line \"Changelog: none\"", revision)
}

func git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// release writes CHANGELOG.md and removes the fragments.
func release(root, version string, all []Fragment) error {
	if v := "v" + version; !semver.IsValid(v) || semver.Canonical(v) != v {
		return fmt.Errorf("%s is no version x.y.z", version)
	}
	if len(all) == 0 {
		return errors.New("there is nothing to tell of: changes has no fragment")
	}
	file := filepath.Join(root, "CHANGELOG.md")
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text, err := Merge(string(before), version, time.Now().UTC().Format(time.DateOnly), all)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	for _, f := range all {
		if err := os.Remove(f.Path); err != nil {
			return err
		}
	}
	return nil
}
