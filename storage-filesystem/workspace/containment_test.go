package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

func TestCheckContainment(t *testing.T) {
	top := temp(t)
	user := mkdir(t, filepath.Join(top, "user"))
	project := mkdir(t, filepath.Join(user, "project"))
	share := mkdir(t, filepath.Join(user, ".local", "share"))
	mkdir(t, filepath.Join(share, "plugin"))
	mkdir(t, filepath.Join(share, "acc", "workspaces", "w"))
	mkdir(t, filepath.Join(top, "data"))
	mkdir(t, filepath.Join(project, "hidden"))
	intoProject := link(t, filepath.Join(project, "hidden"), filepath.Join(top, "into-project"))
	relinked := mkdir(t, filepath.Join(top, "relinked"))
	link(t, filepath.Join(project, "hidden"), filepath.Join(relinked, "acc"))
	alias := link(t, share, filepath.Join(top, "alias"))

	for _, c := range []struct {
		name, dir, data string
		ok              bool
	}{
		{"beside", project, share, true},
		{"elsewhere", project, filepath.Join(top, "data"), true},
		{"elsewhere and absent", project, filepath.Join(top, "not", "yet"), true},
		{"beside acc in the data home", filepath.Join(share, "plugin"), share, true},
		{"a longer name", user, filepath.Join(top, "user2"), true},
		{"started in the home directory", user, share, false},
		{"started in the data home", share, share, false},
		{"the root", string(filepath.Separator), share, false},
		{"absent, in the room", project, filepath.Join(project, "not", "yet"), false},
		{"the room itself", filepath.Join(share, "acc"), share, false},
		{"a room in acc's data", filepath.Join(share, "acc", "workspaces", "w"), share, false},
		{"a room in acc's data, by another way", filepath.Join(share, "acc", "workspaces", "w"), alias, false},
		{"data home leads into the room", project, intoProject, false},
		{"acc leads into the room", project, relinked, false},
		{"absent, behind a link into the room", project, filepath.Join(intoProject, "not", "yet"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := discover(t, c.dir).CheckContainment(datahome.Home{Root: c.data})
			if c.ok {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e := wantError(t, err, protocol.Usage, c.dir)
			if e.Reason != protocol.ReasonWorkspaceContainsStore || !strings.Contains(e.Hint, "start the client in a project directory") {
				t.Errorf("reason %q, advice %q", e.Reason, e.Hint)
			}
		})
	}
}

// The repository of a linked worktree is part of the room, too.
func TestContainmentInTheRepository(t *testing.T) {
	top := temp(t)
	main := repo(t, filepath.Join(top, "main"))
	run(t, main, "worktree", "add", "-q", filepath.Join(top, "linked"))
	d := discover(t, filepath.Join(top, "linked"))
	wantError(t, d.CheckContainment(datahome.Home{Root: filepath.Join(main, ".git", "data")}), protocol.Usage, ".git")
	if err := d.CheckContainment(datahome.Home{Root: filepath.Join(top, "data")}); err != nil {
		t.Error(err)
	}
}
