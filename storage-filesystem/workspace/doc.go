// Package workspace finds the room a directory belongs to, without starting a process: an explicit
// configuration first, then the Git common directory read from files, then the plain directory.
//
// All linked worktrees of a repository share one room. Paths are compared in their one spelling, with
// links followed and letter case as the file system has it (canonical.go). A Descriptor also names the
// resources of the room (resource.go), says how it looks from another directory (again.go), and
// refuses to have acc's data inside of itself (containment.go).
//
// What Git says is read from HEAD, commondir, loose and packed refs (git.go, gitref.go), the way git
// itself looks for a repository, but for two things: GIT_DIR and its like are not asked, and
// core.worktree and safe.directory are not honoured, because no configuration is read.
//
// Start reading at Discover.
package workspace
