package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	hookrunner "github.com/acc-control-plane/acc/hook-runner"
)

// firings gives what the hooks of the room's conversations noted of themselves.
func (m *machine) firings() []hookrunner.Firings {
	m.t.Helper()
	r := m.room()
	all, unreadable, err := hookrunner.ReadFirings(r.Home.Root, r.Dir)
	if err != nil || unreadable != 0 {
		m.t.Fatalf("%d unreadable, %v", unreadable, err)
	}
	return all
}

// TestFirings: each hook that ran is known by the client's own name of it, with when it began, and a
// guard with what became of the write.
func TestFirings(t *testing.T) {
	m := newMachine(t)
	before := time.Now().Truncate(time.Millisecond)
	holder := owner(t, m.conversation("ada").start("startup").context(t))
	m.claim(holder, "file:src/held.go", "porting")
	c := m.conversation("bob")
	own := owner(t, c.start("startup").context(t))
	c.prompt()
	c.edit(filepath.Join(m.project, "src/free.go"))
	c.edit(filepath.Join(m.project, "src/held.go"))
	c.edit(filepath.Join(m.project, "src/held.go"))
	c.afterTool()
	c.hook("PreToolUse", `"tool_name":"Read"`, `"tool_input":{"file_path":"/x"}`) // writes nothing
	c.hook("Notification")

	all := m.firings()
	at := slices.IndexFunc(all, func(f hookrunner.Firings) bool { return f.SessionID == own.SessionID })
	if len(all) != 2 || at < 0 {
		t.Fatalf("%+v", all)
	}
	f := all[at]
	var names []string
	for _, e := range f.Events {
		names = append(names, e.Event)
		if e.At.Before(before) || e.At.After(time.Now()) || e.Took < 0 || e.Took > time.Since(before) {
			t.Errorf("%+v is not of now", e)
		}
	}
	if want := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification"}; !slices.Equal(names, want) {
		t.Errorf("fired: %q, want %q", names, want)
	}
	if g := f.Guard; g.Allowed != 1 || g.Denied != 2 || g.Undecided != 0 || g.Last != hookrunner.GuardDenied || g.LastAt.Before(before) {
		t.Errorf("%+v", g)
	}
	c.hook("SessionEnd", `"reason":"other"`)
	if got := m.firings(); len(got) != 2 || len(got[at].Events) != len(names)+1 {
		t.Errorf("after the end: %+v", got)
	}
}

// TestStrangersLeaveNoFirings: a hook of a conversation in no room, or of another client, leaves nothing.
func TestStrangersLeaveNoFirings(t *testing.T) {
	m := newMachine(t)
	m.conversation("ada").start("startup")
	c := m.conversation("bob")
	c.hook("PostToolUse", `"tool_name":"Bash"`) // no start and no prompt came before
	c.env = append(c.env, "GROK_HOOK_EVENT=session_start")
	c.start("startup")
	if all := m.firings(); len(all) != 1 {
		t.Errorf("%+v", all)
	}
}

// TestWholeDirectories: a command that takes a directory is kept from what a peer holds anywhere in it.
func TestWholeDirectories(t *testing.T) {
	m := newMachine(t)
	m.claim(owner(t, m.conversation("ada").start("startup").context(t)), "file:src/deep/held.go", "porting")
	c := m.conversation("bob")
	c.start("startup")
	for command, refused := range map[string]bool{
		"rm -rf src": true, "rm -r src/deep/": true, "mv src elsewhere": true, "cp -r other src/deep": true, "git checkout -- src": true, "rm -rf .": true,
		"rm -rf docs": false, "rm src/free.go": false, "cp -r src elsewhere": false, "mv a.go src/": false, "ls -R src": false,
	} {
		r := c.hook("PreToolUse", `"tool_name":"Bash"`, `"tool_input":{"command":`+quoted(command)+`}`)
		if got := strings.Contains(r.stdout, "src/deep/held.go is claimed by ada"); got != refused {
			t.Errorf("%s: %q", command, r.stdout)
		}
	}
}
