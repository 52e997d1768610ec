package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// room enters the project's room as any other program of acc would.
func (p place) room(t *testing.T) *room.Room {
	t.Helper()
	r, err := room.Enter(context.Background(), room.Request{Dir: p.project, Env: func(name string) string {
		if name == "ACC_DATA_HOME" {
			return p.home
		}
		return ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// hook runs the real hook of a client once and gives what it adds to the context of the model.
func (p place) hook(t *testing.T, adapterID, event, session string, env ...string) string {
	t.Helper()
	cmd := p.command(t, env...)
	cmd.Env[0] = asHook + "=1"
	cmd = &exec.Cmd{Path: cmd.Path, Args: []string{"acc-hook", adapterID, event}, Dir: cmd.Dir, Env: cmd.Env}
	payload, err := json.Marshal(map[string]any{
		"session_id": session, "cwd": p.project, "hook_event_name": event, "transcript_path": "/x.jsonl",
		"source": "startup", "prompt": "go on", "model": "m", "permission_mode": "default", "turn_id": "1",
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader(string(payload))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", adapterID, event, err)
	}
	var answer struct {
		HookSpecificOutput struct {
			AdditionalContext string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	return answer.HookSpecificOutput.AdditionalContext
}

// pair reads the owner pair out of the header of a context, as a model would.
func pair(t *testing.T, header string) core.Owner {
	t.Helper()
	var o core.Owner
	words := strings.Fields(header)
	for i := range len(words) - 1 {
		switch words[i] {
		case "--session":
			o.SessionID = words[i+1]
		case "--generation":
			o.Generation = words[i+1]
		}
	}
	if o.SessionID == "" || o.Generation == "" {
		t.Fatalf("no owner header in %q", header)
	}
	return o
}

// hello begins a connection as the client of that name.
func (s *peer) hello(client string) *peer {
	s.t.Helper()
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"` + client + `","version":"1"}}}`)
	s.receive()
	return s
}

// call calls a tool and gives its object and whether it failed. meta is what the client puts beside the
// arguments.
func (s *peer) call(tool string, arguments, meta map[string]any) (object map[string]any, failed bool) {
	s.t.Helper()
	params := map[string]any{"name": tool, "arguments": arguments}
	if meta != nil {
		params["_meta"] = meta
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(string(line))
	var answer struct {
		Result struct {
			StructuredContent map[string]any `json:"structuredContent"`
			IsError           bool           `json:"isError"`
		} `json:"result"`
		Error any `json:"error"`
	}
	text := s.receive()
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Error != nil {
		s.t.Fatalf("%s: %s", tool, text)
	}
	return answer.Result.StructuredContent, answer.Result.IsError
}

// must is call for what must not fail.
func (s *peer) must(tool string, arguments, meta map[string]any) map[string]any {
	s.t.Helper()
	object, failed := s.call(tool, arguments, meta)
	if failed {
		s.t.Fatalf("%s failed: %v", tool, object)
	}
	return object
}

// session gives the session that the caller's claims belong to.
func (s *peer) session(meta map[string]any) string {
	s.t.Helper()
	claim := s.must("acc_claim", map[string]any{"resource": "probe:" + strings.ReplaceAll(fmt.Sprint(meta), " ", "-"), "mode": "shared"}, meta)["claim"]
	return claim.(map[string]any)["ownerSessionId"].(string)
}

// sessionOf gives the record of a session.
func (p place) sessionOf(t *testing.T, id string) protocol.Session {
	t.Helper()
	var session protocol.Session
	err := p.room(t).Store.View(context.Background(), func(r core.Reader) error {
		stored, found, err := r.Get(protocol.KindSession, id)
		if err == nil && found {
			session = *stored.Record.(*protocol.Session)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// TestOneIdentityTwoServers: two servers of one name at a time are two sessions with two generations, and
// one that is started again continues with the session of the one before under a new generation.
func TestOneIdentityTwoServers(t *testing.T) {
	where := newPlace(t)
	first, second := where.start(t).hello("t"), where.start(t).hello("t")
	a, b := first.session(nil), second.session(nil)
	if a == b {
		t.Fatal("two servers speak for one session")
	}
	before := where.sessionOf(t, a)
	if before.Generation == where.sessionOf(t, b).Generation {
		t.Fatal("two servers have one generation")
	}
	first.end()
	again := where.start(t).hello("t")
	if got := again.session(nil); got != a {
		t.Errorf("after a restart the session is %s, before it was %s", got, a)
	}
	if after := where.sessionOf(t, a); after.Generation == before.Generation || after.PID != again.cmd.Process.Pid {
		t.Errorf("the restarted server did not take the session over: %+v", after)
	}
	if got := second.session(nil); got != b {
		t.Errorf("the other server's session became %s", got)
	}
	other := where.start(t, "ACC_MCP_PARTICIPANT=somebody else").hello("t")
	if got := where.sessionOf(t, other.session(nil)).ParticipantID; got != "somebody-else" {
		t.Errorf("the participant of another name is %q", got)
	}
}

// TestGoesOnAfterItsSessionEnded: whoever ends the session of a server, its next call is answered.
func TestGoesOnAfterItsSessionEnded(t *testing.T) {
	where := newPlace(t)
	s := where.start(t).hello("t")
	record := where.sessionOf(t, s.session(nil))
	if _, err := where.room(t).Core.CloseSession(context.Background(), core.Owner{SessionID: record.SessionID, Generation: record.Generation}, ""); err != nil {
		t.Fatal(err)
	}
	if got := s.session(nil); got != record.SessionID {
		t.Errorf("it goes on as %s, not as %s", got, record.SessionID)
	}
}

// TestTwoServersAndAHookedSession: a question, its answer and a conflict over a claim among three.
func TestTwoServersAndAHookedSession(t *testing.T) {
	where := newPlace(t)
	claude := []string{"ACC_PARTICIPANT=carol", "AI_AGENT=claude-code_2-1-332_harness"}
	carol := pair(t, where.hook(t, "claude_code", "SessionStart", "conversation-1", claude...)+where.hook(t, "claude_code", "UserPromptSubmit", "conversation-1", claude...))
	alice, bob := where.start(t, "ACC_MCP_PARTICIPANT=alice").hello("t"), where.start(t, "ACC_MCP_PARTICIPANT=bob").hello("t")

	question := alice.must("acc_message", map[string]any{"to": []string{"carol"}, "kind": "question", "subject": "Which port?", "body": "8080 or 9090?"}, nil)["messageId"].(string)
	shown := where.hook(t, "claude_code", "UserPromptSubmit", "conversation-1", claude...)
	if !strings.Contains(shown, question+" | from alice | question, reply required") || !strings.Contains(shown, "8080 or 9090?") {
		t.Fatalf("the hooked session was shown %q", shown)
	}
	ctx := context.Background()
	if _, err := where.room(t).Core.Reply(ctx, carol, core.ReplyRequest{MessageID: question, Body: "9090"}); err != nil {
		t.Fatal(err)
	}
	items := alice.must("acc_wait", map[string]any{"timeoutSeconds": 60}, nil)["items"].([]any)
	answer := items[0].(map[string]any)["message"].(map[string]any)
	if answer["inReplyTo"] != question || answer["fromParticipantId"] != "carol" {
		t.Fatalf("alice waited for carol's answer and got %v", answer)
	}
	mail := alice.must("acc_inbox", map[string]any{"messageId": answer["messageId"]}, nil)["message"].(map[string]any)
	if framed := mail["framed"].(string); !strings.Contains(framed, "body:\n9090\n```") || mail["body"] != nil {
		t.Errorf("the answer is not in its frame: %v", mail)
	}
	if _, err := where.room(t).Core.Claim(ctx, carol, core.ClaimRequest{Resource: "file:src/**", Enforcement: protocol.Guarded}); err != nil {
		t.Fatal(err)
	}
	refused, failed := bob.call("acc_claim", map[string]any{"resource": "src/a.go"}, nil)
	facts := refused["error"].(map[string]any)
	if !failed || facts["reason"] != "claim_conflict" || facts["details"].(map[string]any)["ownerParticipantId"] != "carol" {
		t.Errorf("bob claims what carol holds: %v", refused)
	}
	waiting := bob.must("acc_status", map[string]any{}, nil)["participants"].([]any)
	if len(waiting) != 3 {
		t.Errorf("the room shows %d of three: %v", len(waiting), waiting)
	}
}

// TestACodexThreadSpeaksAsItsHooks: Codex serves several threads from one server and names the thread in
// each call. One with hooks is the session of its hooks; one without is itself; and nobody else can name
// a thread.
func TestACodexThreadSpeaksAsItsHooks(t *testing.T) {
	where := newPlace(t)
	const thread, other = "01a22c92-0e09-77d1-b2f3-e21369c03e77", "01a22c92-0e09-77d1-b2f3-ffffffffffff"
	header := where.hook(t, "codex", "SessionStart", thread)
	header += where.hook(t, "codex", "UserPromptSubmit", thread)
	hooked := pair(t, header)

	s := where.start(t).hello("codex-mcp-client")
	if got := s.session(map[string]any{"threadId": thread}); got != hooked.SessionID {
		t.Errorf("the thread speaks as %s, its hooks as %s", got, hooked.SessionID)
	}
	if got := where.sessionOf(t, s.session(map[string]any{"threadId": other})); got.ParticipantID != protocol.HookParticipantID("codex", other) || got.Harness != "mcp" {
		t.Errorf("the thread without hooks is %+v", got)
	}
	if got := where.sessionOf(t, s.session(nil)); got.ParticipantID != "mcp" {
		t.Errorf("a call without a thread speaks as %q", got.ParticipantID)
	}
	stranger := where.start(t, "ACC_MCP_PARTICIPANT=stranger").hello("some-client")
	if got := where.sessionOf(t, stranger.session(map[string]any{"threadId": thread})); got.ParticipantID != "stranger" {
		t.Errorf("another client speaks as %q by naming a thread", got.ParticipantID)
	}
}
