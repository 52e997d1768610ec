// Package datahome knows where acc keeps its data on each platform.
package datahome

import "path/filepath"

// Home is the data home; everything of acc lies below Root/acc.
type Home struct{ Root string }

// Env reads an environment variable; an empty value counts as unset.
type Env func(name string) string

// Locate finds the data home: ACC_DATA_HOME (absolute), else the platform's own place.
func Locate(env Env) (Home, error) { panic("lands with datahome") }

// Workspaces is the directory of the stores.
func (h Home) Workspaces() string { return filepath.Join(h.Root, "acc", "workspaces") }

// Workspace is the directory of one store.
func (h Home) Workspace(id string) string { return filepath.Join(h.Workspaces(), id) }

// Runtime is the directory of the managed runtime.
func (h Home) Runtime() string { return filepath.Join(h.Root, "acc", "runtime") }

// NativeWorkspaces is the directory of the saved rooms of hooked sessions.
func (h Home) NativeWorkspaces() string { return filepath.Join(h.Root, "acc", "native-workspaces") }
