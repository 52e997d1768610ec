package workspace

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/acc-control-plane/acc/protocol"
)

// Rediscover discovers a room again from the canonical directory it was found in before. was needs ID,
// Source and, for a git room, the CommonDir and WorktreeRoot of Git.
//
// A git room whose repository cannot be read any more stays that room, with branch and head unknown;
// a directory room stays that room when a repository appeared around it; both stay when the directory
// is gone. Anything else that changes the id is an error with Code Conflict and
// ReasonWorkspaceChanged: to go on in another room would split a conversation.
func Rediscover(dir string, was Descriptor) (Descriptor, error) {
	now, err := Discover(Request{Dir: dir})
	gone := errors.Is(err, fs.ErrNotExist)
	if err != nil && !gone {
		return Descriptor{}, err
	}
	if !gone && now.ID == was.ID {
		return now, nil
	}
	at, err := resolve(dir)
	if err != nil {
		return Descriptor{}, err
	}
	moved := at.path != dir // a link was put in its place
	switch {
	case moved:
	case was.Source == protocol.SourceGit && (gone || now.Source == protocol.SourceDirectory) && was.Git != nil:
		room := gitRoom(dir, &Git{CommonDir: was.Git.CommonDir, WorktreeRoot: was.Git.WorktreeRoot})
		if room.ID == was.ID {
			return room, nil
		}
	case was.Source == protocol.SourceDirectory && (gone || now.Source == protocol.SourceGit):
		room := directoryRoom(dir)
		if room.ID == was.ID {
			return room, nil
		}
	}
	found := "nothing"
	if !gone {
		found = fmt.Sprintf("the %s workspace %s", now.Source, now.ID)
	}
	return Descriptor{}, protocol.ConflictError(protocol.ReasonWorkspaceChanged,
		fmt.Sprintf("%s was the %s workspace %s when the session started and is %s now: identity changed", dir, was.Source, was.ID, found)).
		WithHint("start a new session in " + dir)
}

// At is the room as somebody sees it whose current directory is cwd. In another worktree of the room's
// repository Git is that worktree's, and so is the directory of the configuration if it lies in one;
// any other directory, nested repositories too, changes nothing.
func (d Descriptor) At(cwd string) Descriptor {
	if d.Git == nil {
		return d
	}
	at, err := resolveFrom(d.Dir, cwd)
	if err != nil {
		return d
	}
	root := d.worktreeOf(at)
	if root == "" || root == d.Git.WorktreeRoot {
		return d
	}
	there, _ := checkoutAt(root)
	g := there.describe(root, d.Git.Head != "")
	if g == nil {
		return d
	}
	if sub, ok := within(d.CheckoutRoot(), d.ConfigDir); ok && d.ConfigDir != "" {
		if twin, err := resolve(root + "/" + sub); err == nil && twin.info != nil {
			d.ConfigDir = twin.path
		}
	}
	d.Git = g
	return d
}
