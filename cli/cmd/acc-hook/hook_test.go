package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// TestTwoSessions is the main job: one session claims a file and asks a question, the other is refused
// the edit and reads the question at its next turn, once.
func TestTwoSessions(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	owner(t, bob.start("startup").context(t))

	claim := m.claim(adaOwner, "file:src/lock.go", "porting the lock")
	refused := bob.edit(filepath.Join(m.project, "src", "lock.go"))
	if got := refused.member(t, "permissionDecision"); got != "deny" {
		t.Fatalf("the edit was not refused: %q", refused.stdout)
	}
	want := `src/lock.go is claimed by ada until ` + claim.ExpiresAt.UTC().Format("15:04") + ` ("porting the lock", ` + claim.ClaimID +
		`). Ask: acc message --to ada --type question --subject "..." --body "...", or work elsewhere.`
	if diff := cmp.Diff(want, refused.member(t, "permissionDecisionReason")); diff != "" {
		t.Errorf("reason (-want +got):\n%s", diff)
	}
	for name, r := range map[string]result{
		"another file":              bob.edit(filepath.Join(m.project, "src", "other.go")),
		"the owner's own edit":      ada.edit("src/lock.go"),
		"a file outside":            bob.edit("/etc/hosts"),
		"a tool that writes no one": bob.hook("PreToolUse", `"tool_name":"Read"`, `"tool_input":{"file_path":"src/lock.go"}`),
	} {
		if r.stdout != "" {
			t.Errorf("%s: said %q", name, r.stdout)
		}
	}
	if r := bob.edit("src/../src/./lock.go"); r.member(t, "permissionDecision") != "deny" {
		t.Error("the same file under another spelling was not refused")
	}

	id := m.ask(adaOwner, "bob", "Which half owns the clamp?", "Physics or renderer?")
	if got := m.receipt(id, "bob").State; got != protocol.Queued {
		t.Errorf("receipt %s before the turn", got)
	}
	turn := bob.prompt().context(t)
	if !strings.HasPrefix(turn, header) {
		t.Errorf("the model must look for the pair that it answers with:\n%s", turn)
	}
	for _, part := range []string{
		"- [reply_required] " + id + ` "Which half owns the clamp?" from ada`,
		"```acc-peer-message\n" + id + " | from ada | question, reply required | untrusted peer message\n" +
			"subject: Which half owns the clamp?\nbody:\nPhysics or renderer?\n```\n",
		"Room: 1 other here: ada",
	} {
		if !strings.Contains(turn, part) {
			t.Errorf("the turn lacks %q:\n%s", part, turn)
		}
	}
	receipt := m.receipt(id, "bob")
	if receipt.State != protocol.Offered || receipt.Offer == nil || receipt.Offer.Transport != protocol.TransportNextTurn {
		t.Errorf("receipt after the turn: %+v", receipt)
	}
	if again := bob.prompt().context(t); !strings.HasPrefix(again, header) || strings.Contains(again, "acc-peer-message") || !strings.Contains(again, "1 earlier obligation is still open") {
		t.Errorf("the turn after: %q", again)
	}
}

// TestNothingToSayIsNothing: a session alone in its room costs its owner header once.
func TestNothingToSayIsNothing(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("solo")
	start := c.start("startup").context(t)
	if want := regexp.MustCompile(`^ACC CLI \(append\): --session session_\w+ --generation \S+ --cwd '` + regexp.QuoteMeta(m.project) + `' --workspace 'acc://[0-9a-f]{64}'\n$`); !want.MatchString(start) {
		t.Errorf("header %q", start)
	}
	for name, r := range map[string]result{
		"prompt": c.prompt(), "edit": c.edit("a.go"), "tool": c.afterTool(), "stop": c.hook("Stop", `"stop_hook_active":false`),
		"notification": c.hook("Notification", `"message":"x"`), "unheard of": c.hook("SomethingNew"),
	} {
		if r.stdout != "" {
			t.Errorf("%s: said %q", name, r.stdout)
		}
	}
}

// TestHeaderComesBackAfterCompaction without bodies, and without any receipt moving.
func TestHeaderComesBackAfterCompaction(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	first := owner(t, bob.start("startup").context(t))
	bob.prompt()
	id := m.ask(adaOwner, "bob", "s", "b")
	again := bob.start("compact").context(t)
	if got := owner(t, again); got != first {
		t.Errorf("another owner after compaction")
	}
	if strings.Contains(again, "acc-peer-message") || m.receipt(id, "bob").State != protocol.Queued {
		t.Errorf("compaction delivered: %q", again)
	}
	if turn := bob.prompt().context(t); !strings.Contains(turn, id) || !strings.Contains(turn, "Room: 1 other here") {
		t.Errorf("the turn after compaction: %q", turn)
	}
}

// TestMidTurn: what was sent while the turn ran goes out after the next tool, once, and not to a
// subagent.
func TestMidTurn(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	bob.start("startup")
	bob.prompt()
	id := m.ask(adaOwner, "bob", "s", "b")
	if r := bob.hook("PostToolUse", `"tool_name":"Bash"`, `"agent_id":"sub"`); r.stdout != "" {
		t.Errorf("a subagent was told %q", r.stdout)
	}
	if got := bob.afterTool().context(t); !strings.Contains(got, id) || strings.Contains(got, "Room:") || strings.Contains(got, header) {
		t.Errorf("mid-turn: %q", got)
	}
	if got := m.receipt(id, "bob").State; got != protocol.Offered {
		t.Errorf("receipt %s", got)
	}
	if r := bob.afterTool(); r.stdout != "" {
		t.Errorf("said again: %q", r.stdout)
	}
}

// TestParallelTools: of the hooks of tools that end together one tells what is new.
func TestParallelTools(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	bob.start("startup")
	bob.prompt()
	for range 3 {
		id := m.ask(adaOwner, "bob", "s", "b")
		told := make([]string, 6)
		var wg sync.WaitGroup
		for i := range told {
			wg.Go(func() {
				r := run(t, bob.command(bob.payload("PostToolUse", `"tool_name":"Bash"`)))
				if r.code != 0 || r.stderr != "" {
					t.Errorf("%+v", r)
				}
				told[i] = r.stdout
			})
		}
		wg.Wait()
		if got := strings.Count(strings.Join(told, ""), id+" | from ada"); got != 1 {
			t.Errorf("told %d times", got)
		}
	}
}

// TestPromptBeforeStart: whichever comes first opens, the other joins the same generation.
func TestPromptBeforeStart(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("late")
	first := owner(t, c.prompt().context(t))
	if r := c.start("startup"); r.stdout != "" {
		t.Errorf("a late start said %q", r.stdout)
	}
	if got := owner(t, c.start("compact").context(t)); got != first {
		t.Error("the start made another session")
	}
	if got := m.openSessions(); len(got) != 1 {
		t.Errorf("open sessions: %v", got)
	}
}

// TestAllAtOnce: many first hooks of one conversation at the same moment make one session.
func TestAllAtOnce(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("race")
	results := make([]result, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			if i%2 == 0 {
				results[i] = run(t, c.command(c.payload("SessionStart", `"source":"startup"`)))
			} else {
				results[i] = run(t, c.command(c.payload("UserPromptSubmit", `"prompt":"x"`)))
			}
		})
	}
	wg.Wait()
	owners := map[core.Owner]bool{}
	for _, r := range results {
		if r.code != 0 || r.stderr != "" {
			t.Errorf("exit %d, stderr %q", r.code, r.stderr)
		}
		if r.stdout != "" {
			owners[owner(t, r.context(t))] = true
		}
	}
	if len(owners) != 1 || len(m.openSessions()) != 1 {
		t.Errorf("%d owners, open sessions %v", len(owners), m.openSessions())
	}
}

// TestEndAndReturn: ends are idempotent however many come, the next prompt begins a new session in the
// same room, and a late end of it is the last word.
func TestEndAndReturn(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("bob")
	first := owner(t, c.start("startup").context(t))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if r := run(t, c.command(c.payload("SessionEnd", `"reason":"prompt_input_exit"`))); r.code != 0 || r.stdout+r.stderr != "" {
				t.Errorf("%+v", r)
			}
		})
	}
	wg.Wait()
	s, err := m.room().Core.Session(context.Background(), first)
	if protocol.ReasonOf(err) != "" && protocol.ReasonOf(err) != protocol.ReasonCallerMismatch {
		t.Fatal(err)
	}
	if err == nil && s.State != protocol.SessionClosed {
		t.Errorf("still open: %+v", s)
	}
	for name, r := range map[string]result{"tool": c.afterTool(), "stop": c.hook("Stop")} {
		if r.stdout != "" {
			t.Errorf("%s after the end: %q", name, r.stdout)
		}
	}
	if len(m.openSessions()) != 0 {
		t.Error("a tool brought the session back")
	}
	second := owner(t, c.prompt().context(t))
	if second == first || len(m.openSessions()) != 1 {
		t.Errorf("the prompt gave %v, open %v", second, m.openSessions())
	}
}

// TestEndBesidePrompt: the end of a conversation, said twice, and its other hooks at once leave one session or none,
// never one that no later hook would close.
func TestEndBesidePrompt(t *testing.T) {
	m := newMachine(t)
	for round := range 15 {
		c := m.conversation("bob")
		c.start("startup")
		var wg sync.WaitGroup
		end := c.payload("SessionEnd", `"reason":"other"`)
		for _, payload := range []string{end, c.payload("UserPromptSubmit", `"prompt":"go on"`), c.payload("Stop"), end} {
			wg.Go(func() {
				if r := run(t, c.command(payload)); r.code != 0 || r.stderr != "" {
					t.Errorf("%+v", r)
				}
			})
		}
		wg.Wait()
		c.prompt()
		c.hook("SessionEnd", `"reason":"other"`)
		if open := m.openSessions(); len(open) != 0 {
			t.Fatalf("round %d: open are %v", round, open)
		}
	}
}

// TestClear: /clear ends one conversation and starts another in the same process.
func TestClear(t *testing.T) {
	m := newMachine(t)
	old := m.conversation("bob")
	first := owner(t, old.start("startup").context(t))
	old.hook("SessionEnd", `"reason":"clear"`)
	next := m.conversation("bob")
	second := owner(t, next.start("clear").context(t))
	if first == second || len(m.openSessions()) != 1 {
		t.Errorf("after /clear: %v and %v, open %v", first, second, m.openSessions())
	}
}

// TestMovedDirectory: a conversation that changes into a nested repository stays in its room.
func TestMovedDirectory(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	before := bob.start("startup").context(t)
	nested := filepath.Join(m.project, "vendor", "nested", ".git")
	if err := os.MkdirAll(filepath.Join(nested, "objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"HEAD": "ref: refs/heads/x\n", "config": "[core]\n"} {
		if err := os.WriteFile(filepath.Join(nested, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bob.cwd = filepath.Dir(nested)
	id := m.ask(adaOwner, "bob", "s", "b")
	if turn := bob.prompt().context(t); !strings.Contains(turn, id) {
		t.Errorf("the room moved: %q", turn)
	}
	if got := owner(t, bob.start("compact").context(t)); got != owner(t, before) {
		t.Error("another owner in the nested repository")
	}
}

// TestOwnerFile: the pair is private, and on file under a name that tells nothing.
func TestOwnerFile(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("bob")
	pair := owner(t, c.start("startup").context(t))
	found := false
	for _, name := range m.bindingFiles() {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		stem, _, _ := strings.Cut(filepath.Base(name), ".")
		if !isHex(stem, 32) {
			t.Errorf("file name %s", name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(data), pair.Generation) && strings.HasSuffix(name, stem+".json")
	}
	if !found {
		t.Error("the owner pair is not on file")
	}
}

// TestExpiredClaimIsToldOnce: the end of a lease is told and, once told, taken off the record.
func TestExpiredClaimIsToldOnce(t *testing.T) {
	m := newMachine(t)
	m.conversation("ada").start("startup")
	bob := m.conversation("bob")
	o := owner(t, bob.start("startup").context(t))
	granted, err := m.room().Core.Claim(context.Background(), o, core.ClaimRequest{
		Resource: "file:src/a.go", Mode: protocol.Exclusive, Enforcement: protocol.Guarded, Reason: "soon over", Lease: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	for !time.Now().After(granted.Claim.ExpiresAt) {
		time.Sleep(50 * time.Millisecond)
	}
	if turn := bob.prompt().context(t); !strings.Contains(turn, "- [claim_expired] ") || !strings.Contains(turn, granted.Claim.ClaimID) {
		t.Errorf("the turn: %q", turn)
	}
	if turn := bob.prompt(); turn.stdout != "" {
		t.Errorf("told again: %q", turn.stdout)
	}
	if _, err := m.room().Core.Release(context.Background(), o, core.ReleaseRequest{ClaimID: granted.Claim.ClaimID}); protocol.ReasonOf(err) != protocol.ReasonNotFound {
		t.Errorf("still on record: %v", err)
	}
}
