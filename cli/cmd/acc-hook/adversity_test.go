package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/registry"
	hookrunner "github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/protocol"
)

// TestClosedPipeOffersNothing: a message counts as offered only after the client took the answer.
func TestClosedPipeOffersNothing(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	bob.start("startup")
	id := m.ask(adaOwner, "bob", "s", "b")

	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := bob.command(bob.payload("UserPromptSubmit", `"prompt":"x"`))
	cmd.Stdout = write
	r := run(t, cmd)
	if r.code != 0 || r.stderr != "acc-hook: the client did not take the answer; the messages stay queued\n" {
		t.Errorf("exit %d, stderr %q", r.code, r.stderr)
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	if got := m.receipt(id, "bob").State; got != protocol.Queued {
		t.Errorf("receipt %s although nobody read the answer", got)
	}
	if turn := bob.prompt().context(t); !strings.Contains(turn, id) {
		t.Errorf("the next turn: %q", turn)
	}
	if got := m.receipt(id, "bob").State; got != protocol.Offered {
		t.Errorf("receipt %s", got)
	}
}

// TestBadCalls: whatever a client sends, the hook ends with 0, prints nothing to standard output and
// one fixed line to standard error that repeats nothing of it.
func TestBadCalls(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("bob")
	unreadable := "acc-hook: the hook payload could not be read; run acc doctor\n"
	all, err := registry.Hooks()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, a := range all {
		ids = append(ids, a.ID())
	}
	adapters := "; adapters: " + strings.Join(ids, ", ") + "\n"
	unknown := "acc-hook: this build has no such adapter; run acc install" + adapters
	usage := "acc-hook: usage: acc-hook ADAPTER [EVENT], payload on standard input\n"
	help := strings.TrimSuffix(usage, "\n") + adapters
	good := c.payload("Stop")
	tests := []struct {
		name, payload, stderr string
		args                  []string
	}{
		{"empty", "", unreadable, nil},
		{"half", `{"session_id":"s","hook_event`, unreadable, nil},
		{"not an object", `[1]`, unreadable, nil},
		{"no session", `{"hook_event_name":"SessionStart","cwd":"/p"}`, unreadable, nil},
		{"twice", `{"session_id":"a","session_id":"b","hook_event_name":"Stop"}`, unreadable, nil},
		{"relative directory", `{"session_id":"a","cwd":"p","hook_event_name":"SessionStart"}`, unreadable, nil},
		{"too large", `{"session_id":"` + strings.Repeat("x", adapter.MaxPayloadBytes) + `"}`, unreadable, nil},
		{"a secret in it", `{"session_id":1,"cwd":"/secret/path"}`, unreadable, nil},
		{"no arguments", good, usage, []string{}},
		{"too many arguments", good, usage, []string{"claude_code", "Stop", "x"}},
		{"another adapter", good, unknown, []string{"clippy"}},
		{"a path for an adapter", good, unknown, []string{"../claude_code"}},
		{"an option", good, unknown, []string{"--version"}},
		{"help", good, help, []string{"--help"}},
		{"nothing is known of it", good, "", nil},
		{"an event besides the payload's", good, "", []string{"claude_code", "Stop"}},
		{"Grok", `{"hookEventName":"stop","sessionId":"g","session_id":"g","hook_event_name":"SessionStart","cwd":"/"}`, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := c.command(tt.payload)
			if tt.args != nil {
				cmd.Args = append(cmd.Args[:1], tt.args...)
			}
			if r := run(t, cmd); r.code != 0 || r.stdout != "" || r.stderr != tt.stderr {
				t.Errorf("exit %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
			}
		})
	}
	if _, err := os.Stat(m.home); !os.IsNotExist(err) {
		t.Errorf("bad calls made a data home: %v", err)
	}
}

// TestUntoldFilesAreCounted: a write whose files cannot be told goes on too, is reported, and is counted like every
// write that could not be checked. Of a conversation in no room nothing is noted.
func TestUntoldFilesAreCounted(t *testing.T) {
	m := newMachine(t)
	c, stranger := m.conversation("bob"), m.conversation("eve")
	c.start("startup")
	inputs := []string{`[1]`, `{}`, `{"file_path":7}`, `{"file_path":"a\u0000b"}`}
	for _, input := range inputs {
		r := run(t, c.command(c.payload("PreToolUse", `"tool_name":"Write"`, `"tool_input":`+input)))
		if r.code != 0 || r.stdout != "" || r.stderr != "acc-hook: claims could not be checked, so the edit was let through; run acc doctor\n" {
			t.Errorf("%s: %+v", input, r)
		}
		if r := run(t, stranger.command(stranger.payload("PreToolUse", `"tool_name":"Write"`, `"tool_input":`+input))); r.code != 0 || r.stdout != "" {
			t.Errorf("%s of a stranger: %+v", input, r)
		}
	}
	if all := m.firings(); len(all) != 1 || all[0].Guard.Undecided != len(inputs) || all[0].Guard.Last != hookrunner.GuardUndecided {
		t.Errorf("noted %+v", all)
	}
}

// TestUnguardedIsSaid: a write that could not be checked goes on and is reported.
func TestUnguardedIsSaid(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("bob")
	c.start("startup")
	for _, name := range m.bindingFiles() {
		if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, c.command(c.payload("PreToolUse", `"tool_name":"Write"`, `"tool_input":{"file_path":"a"}`)))
	if r.code != 0 || r.stdout != "" || r.stderr != "acc-hook: claims could not be checked, so the edit was let through; run acc doctor\n" {
		t.Errorf("%+v", r)
	}
	r2 := m.room()
	fired, bad, err := hookrunner.ReadFirings(r2.Home.Root, r2.Dir)
	if err != nil || bad != 0 || len(fired) != 1 || fired[0].Guard.Undecided != 1 || fired[0].AdapterID != "claude_code" {
		t.Errorf("noted %+v, %d unreadable, %v", fired, bad, err)
	}
	// A damaged owner file must not be taken for an absent one: no second session appears.
	r = run(t, c.command(c.payload("UserPromptSubmit", `"prompt":"x"`)))
	if r.code != 0 || r.stdout != "" || r.stderr == "" || len(m.openSessions()) > 1 {
		t.Errorf("%+v, open %v", r, m.openSessions())
	}
}

// TestOwnDataHome: a session started in a directory that holds acc's data is told what to do.
func TestOwnDataHome(t *testing.T) {
	m := newMachine(t)
	m.home = filepath.Join(m.project, "data")
	c := m.conversation("bob")
	r := run(t, c.command(c.payload("SessionStart", `"source":"startup"`)))
	if r.code != 0 || r.stdout != "" || r.stderr != "acc-hook: this directory contains acc's own data; start the client in a project directory\n" {
		t.Errorf("%+v", r)
	}
}

// TestOpenPipe: a client that never closes the hook's input does not keep it.
func TestOpenPipe(t *testing.T) {
	m := newMachine(t)
	c := m.conversation("bob")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = write.Close() }()
	if _, err := write.WriteString(`{"session_id":"s"`); err != nil {
		t.Fatal(err)
	}
	cmd := c.command("")
	cmd.Stdin = read
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer killed.Stop()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 || !strings.Contains(stderr.String(), "took too long") {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

// TestKilledHooks: a hook killed at any moment leaves nothing that stands in the way of the next one.
func TestKilledHooks(t *testing.T) {
	m := newMachine(t)
	ada, bob := m.conversation("ada"), m.conversation("bob")
	adaOwner := owner(t, ada.start("startup").context(t))
	for k := range 24 {
		cmd := bob.command(bob.payload("UserPromptSubmit", `"prompt":"x"`))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(k) * 500 * time.Microsecond) // from before its first step to after its last
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	turn := bob.start("compact").context(t)
	owner(t, turn)
	if got := m.openSessions(); len(got) != 2 {
		t.Errorf("open sessions: %v", got)
	}
	id := m.ask(adaOwner, "bob", "s", "b")
	if turn := bob.prompt().context(t); !strings.Contains(turn, id) {
		t.Errorf("after the kills: %q", turn)
	}
}
