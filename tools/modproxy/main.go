// Command modproxy packs the modules of this work tree, as a release would serve them, into a module
// proxy made of files, so that go mod tidy, builds with GOWORK=off and go install can resolve sibling
// modules that were never published.
//
//	go run ./tools/modproxy pack DIR               write the proxy to DIR and print how a shell uses it
//	go run ./tools/modproxy tags VERSION           print the tags of a release: one for each module, and its own
//	go run ./tools/modproxy tidy [DIR...]          tidy these modules (none named: all) against such a proxy
//	go run ./tools/modproxy tidy -check [DIR...]   fail and print the difference instead of writing
//
// Tidying happens in a copy. The work tree is only ever changed by renaming a finished go.mod or go.sum
// into place, and with -check not at all, so several runs at a time do not disturb one another.
//
// go.sum files never hold hashes of siblings: those would change with every commit, and the workspace
// does not read them.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/acc-control-plane/acc/tools/fileproxy"
	"github.com/acc-control-plane/acc/tools/worktree"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "modproxy:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("what to do? pack DIR, tags VERSION, or tidy [-check] [DIR...]")
	}
	root, err := worktree.FindRoot(".")
	if err != nil {
		return err
	}
	switch args[0] {
	case "pack":
		if len(args) != 2 {
			return fmt.Errorf("pack takes one directory")
		}
		return pack(root, args[1])
	case "tags":
		if len(args) != 2 {
			return fmt.Errorf("tags takes one version, as v1.2.3")
		}
		return printTags(root, args[1])
	case "tidy":
		fs := flag.NewFlagSet("tidy", flag.ContinueOnError)
		check := fs.Bool("check", false, "print what would change and fail")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		return Tidy(root, *check, fs.Args())
	}
	return fmt.Errorf("unknown command %q; there are pack, tags and tidy", args[0])
}

// pack writes the proxy and prints what makes go commands of a POSIX shell use it.
func pack(root, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	// A cache of its own each time: go remembers by its path which files a module has.
	earlier, err := filepath.Glob(filepath.Join(dir, ".cache-*"))
	if err != nil {
		return err
	}
	for _, cache := range earlier {
		fileproxy.Proxy{Cache: cache}.Clean()
		_ = os.RemoveAll(cache)
	}
	if err := fileproxy.Pack(root, dir); err != nil {
		return err
	}
	cache, err := os.MkdirTemp(dir, ".cache-")
	if err != nil {
		return err
	}
	for _, line := range (fileproxy.Proxy{Dir: dir, Cache: cache, Own: []string{worktree.Prefix + "*"}}).Exports() {
		fmt.Println("export " + line)
	}
	return nil
}

// printTags prints what git tag is to be given for a release, all on one commit.
func printTags(root, version string) error {
	tags, err := Tags(root, version)
	for _, tag := range tags {
		fmt.Println(tag)
	}
	return err
}
