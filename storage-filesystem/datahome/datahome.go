// Package datahome knows where acc keeps its data on each platform: one directory per user, outside
// every repository. It touches no file; who writes there makes the directories (see privatefile).
package datahome

import (
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/acc-control-plane/acc/protocol"
)

// Variable overrides the platform's place. Its value must be absolute.
const Variable = "ACC_DATA_HOME"

// Home is the data home; everything of acc lies below Root/acc.
type Home struct{ Root string }

// Env reads an environment variable; an empty value counts as unset.
type Env func(name string) string

// Locate finds the data home: ACC_DATA_HOME, else the platform's own place: on macOS
// ~/Library/Application Support (XDG variables mean nothing there), on Windows %LOCALAPPDATA%,
// elsewhere $XDG_DATA_HOME or ~/.local/share. Nothing needs to exist. Errors have Code Usage and name
// the variable at fault.
func Locate(env Env) (Home, error) {
	if root := env(Variable); root != "" {
		return absolute(Variable, root)
	}
	switch runtime.GOOS {
	case "darwin":
		return below(env, "HOME", "Library", "Application Support")
	case "windows":
		return below(env, "LOCALAPPDATA")
	}
	// The XDG specification has a relative value ignored, so two programs with different current
	// directories agree here.
	if root := env("XDG_DATA_HOME"); filepath.IsAbs(root) {
		return Home{Root: filepath.Clean(root)}, nil
	}
	return below(env, "HOME", ".local", "share")
}

// below gives a directory below the one that a variable names.
func below(env Env, variable string, elements ...string) (Home, error) {
	base := env(variable)
	if base == "" {
		return Home{}, protocol.UsageError("", fmt.Sprintf("no data home: neither %s nor %s is set", Variable, variable)).
			WithHint("set " + Variable + " to an absolute directory")
	}
	home, err := absolute(variable, base)
	if err != nil {
		return Home{}, err
	}
	return Home{Root: filepath.Join(append([]string{home.Root}, elements...)...)}, nil
}

func absolute(variable, value string) (Home, error) {
	if !filepath.IsAbs(value) {
		return Home{}, protocol.UsageError("", fmt.Sprintf("%s is not an absolute path: %q", variable, value)).
			WithHint("set " + Variable + " to an absolute directory")
	}
	return Home{Root: filepath.Clean(value)}, nil
}

// Acc is the directory that holds everything of acc.
func (h Home) Acc() string { return filepath.Join(h.Root, "acc") }

// Workspaces is the directory of the stores.
func (h Home) Workspaces() string { return filepath.Join(h.Acc(), "workspaces") }

// Workspace is the directory of one store.
func (h Home) Workspace(id string) string { return filepath.Join(h.Workspaces(), id) }

// Runtime is the directory of the managed runtime.
func (h Home) Runtime() string { return filepath.Join(h.Acc(), "runtime") }

// NativeWorkspaces is the directory of the saved rooms of hooked sessions.
func (h Home) NativeWorkspaces() string { return filepath.Join(h.Acc(), "native-workspaces") }
