// Package workspace finds the room a directory belongs to, without starting a process: an explicit
// configuration first, then the Git common directory read from files, then the plain directory.
package workspace

import (
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// Request says where to look.
type Request struct {
	Dir    string // absolute; symlinks are resolved
	Config string // path of an acc.workspace.json; empty: walk up from Dir
	Env    datahome.Env
}

// Git is what was read of a repository. Unknown facts are empty.
type Git struct {
	CommonDir    string // canonical
	WorktreeRoot string // canonical
	Branch       string // empty when detached
	Head         string // commit id, or empty
}

// Descriptor is a discovered room.
type Descriptor struct {
	ID                 string
	DisplayName        string
	Source             protocol.WorkspaceSource
	Roots              []string // absolute, canonical
	Git                *Git     // nil when not in a repository; also set for config rooms inside one
	ContextBudgetBytes int      // from the configuration's policy, else protocol.DefaultHookBudget
}

// Discover finds the room.
func Discover(req Request) (Descriptor, error) { panic("lands with workspace") }

// Resource gives the canonical file resource of a path written by somebody whose current directory is
// cwd: symlinks and letter case are resolved through the deepest existing ancestor, and the result is
// relative to the Git worktree root (else the first root); a path outside stays absolute. A trailing
// "/**" is kept.
func (d Descriptor) Resource(cwd, path string) (string, error) { panic("lands with workspace") }

// CheckoutRoot is the worktree root, else the first root.
func (d Descriptor) CheckoutRoot() string {
	if d.Git != nil && d.Git.WorktreeRoot != "" {
		return d.Git.WorktreeRoot
	}
	if len(d.Roots) > 0 {
		return d.Roots[0]
	}
	return ""
}

// Contains refuses a data home that lies in a workspace root, and the reverse, also through symlinks
// (ReasonWorkspaceContainsStore).
func (d Descriptor) CheckContainment(home datahome.Home) error { panic("lands with workspace") }
