// Package self says which build this executable is: what the release builder stamped, else what the linker recorded.
package self

import (
	"cmp"
	"runtime/debug"
	"strings"

	"github.com/acc-control-plane/acc/cli/release/build"
)

// Checkout is the version of a build from a checkout. It is a semantic one because some clients take nothing else.
const Checkout = "0.0.0-devel"

// Version is the version without a leading "v".
func Version() string {
	if v := build.Version(); v != "" {
		return v
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return Checkout
	}
	return cmp.Or(strings.TrimPrefix(info.Main.Version, "v"), Checkout)
}

// Commit is the revision of the sources; empty where it is unknown.
func Commit() string {
	if build.Version() != "" {
		return build.Commit()
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return build.Commit()
}

// About is what an executable that is no command of acc answers to --help and --version alone; "": it was asked neither.
func About(args []string, name, help string) string {
	if len(args) != 1 {
		return ""
	}
	switch args[0] {
	case "--help", "-h":
		return help
	case "--version", "-v", "-V":
		return name + " " + Version() + "\n"
	}
	return ""
}
