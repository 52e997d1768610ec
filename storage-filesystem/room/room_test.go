package room

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// place gives a project directory, a data home that does not exist yet, and an environment for both.
func place(t *testing.T) (project string, home datahome.Home, env datahome.Env) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project = filepath.Join(top, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	home = datahome.Home{Root: filepath.Join(top, "data")}
	return project, home, func(name string) string {
		return map[string]string{datahome.Variable: home.Root, workspace.RootVariable: project}[name]
	}
}

func attach(t *testing.T, r *Room, participant string) core.Owner {
	t.Helper()
	s, err := r.Core.OpenSession(context.Background(), core.OpenSession{
		ParticipantID: participant, ParticipantOf: protocol.Agent, Harness: "cli", PID: os.Getpid(),
		CheckoutRoot: r.Workspace.CheckoutRoot(), Enforcement: protocol.Advisory, Lifecycle: protocol.Manual,
	})
	if err != nil {
		t.Fatal(err)
	}
	return core.Owner{SessionID: s.SessionID, Generation: s.Generation}
}

// Two that enter separately meet in the real store.
func TestWhatOneRecordsTheOtherReads(t *testing.T) {
	project, home, env := place(t)
	ctx := context.Background()
	enter := func() *Room {
		r, err := Enter(ctx, Request{Env: env})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := enter()
	if _, err := os.Lstat(home.Root); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("entering created something: %v", err)
	}
	if first.Dir != home.Workspace(first.Workspace.ID) || first.Home != home || first.Workspace.Roots[0] != project {
		t.Errorf("%+v", first)
	}
	attach(t, first, "ada")
	attach(t, enter(), "bob")
	status, err := enter().Core.Status(ctx, core.StatusQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var present []string
	for _, s := range status.Sessions {
		if s.Presence != protocol.Online {
			t.Errorf("%s is %s", s.ParticipantID, s.Presence)
		}
		present = append(present, s.ParticipantID)
	}
	slices.Sort(present)
	if !slices.Equal(present, []string{"ada", "bob"}) || status.WorkspaceID != first.Workspace.ID || !status.Materialised {
		t.Errorf("present %q in %+v", present, status)
	}
}

func TestSelectors(t *testing.T) {
	project, home, env := place(t)
	ctx := context.Background()
	sub := filepath.Join(project, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(sub, "team.json")
	if err := os.WriteFile(config, []byte(`{"schemaVersion":1,"workspaceId":"team"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	session := nativeworkspace.Session{AdapterID: "codex", NativeID: "x"}
	saved, _, err := nativeworkspace.Establish(ctx, home, func(string) string { return "" }, session, sub, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(sub)
	for _, c := range []struct {
		name, dir, selector, want string
		code                      protocol.Code
	}{
		{"the variable", "", "", "", protocol.OK},
		{"a directory", sub, "", saved.Workspace.ID, protocol.OK},
		{"a configuration", "", config, "team", protocol.OK},
		{"relative to the directory", project, filepath.Join("sub", "team.json"), "team", protocol.OK},
		{"relative to the current directory", "", "team.json", "team", protocol.OK},
		{"a saved room", "", session.Ref(), saved.Workspace.ID, protocol.OK},
		{"a saved room, whatever the directory", project, session.Ref(), saved.Workspace.ID, protocol.OK},
		{"a configuration that is not there", "", "other.json", "", protocol.Data},
		{"a room that is not there", "", nativeworkspace.Session{AdapterID: "codex", NativeID: "y"}.Ref(), "", protocol.Data},
		{"no reference", "", "acc://x", "", protocol.Usage},
		{"a relative directory", "sub", "", "", protocol.Usage},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Enter(ctx, Request{Env: env, Dir: c.dir, Selector: c.selector})
			if protocol.CodeOf(err) != c.code {
				t.Fatalf("error %v, want code %d", err, c.code)
			}
			if err == nil && c.want != "" && r.Workspace.ID != c.want {
				t.Errorf("entered %s, want %s", r.Workspace.ID, c.want)
			}
		})
	}
}

func TestARoomAroundTheDataIsRefused(t *testing.T) {
	project, home, env := place(t)
	ctx := context.Background()
	_, err := Enter(ctx, Request{Env: env, Dir: filepath.Dir(project)})
	if protocol.ReasonOf(err) != protocol.ReasonWorkspaceContainsStore {
		t.Errorf("error %v", err)
	}
	d, err := workspace.Discover(workspace.Request{Dir: filepath.Dir(project)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := At(ctx, home, d); protocol.ReasonOf(err) != protocol.ReasonWorkspaceContainsStore {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(home.Root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was created: %v", err)
	}
}

func TestNoDataHome(t *testing.T) {
	_, err := Enter(context.Background(), Request{Env: func(string) string { return "" }, Dir: t.TempDir()})
	if protocol.CodeOf(err) != protocol.Usage {
		t.Errorf("error %v", err)
	}
}

func TestAt(t *testing.T) {
	project, home, env := place(t)
	ctx := context.Background()
	r, err := Enter(ctx, Request{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	attach(t, r, "ada")
	again, err := At(ctx, home, r.Workspace)
	if err != nil || again.Dir != r.Dir || again.Workspace.Roots[0] != project {
		t.Fatalf("%+v %v", again, err)
	}
	status, err := again.Core.Status(ctx, core.StatusQuery{})
	if err != nil || len(status.Sessions) != 1 {
		t.Errorf("%+v %v", status, err)
	}
}
