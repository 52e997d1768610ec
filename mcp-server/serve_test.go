package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	mcpserver "github.com/acc-control-plane/acc/mcp-server"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// serve runs a server in this process and connects a client to it.
func serve(t *testing.T, o mcpserver.Options, env map[string]string) *mcp.ClientSession {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		mcpserver.Serve(context.Background(), o, mcpserver.Process{
			Stdin: toServer, Stdout: fromServer, Env: func(name string) string { return env[name] },
		})
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(deadline(t), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = in.Close()
		<-served
	})
	return session
}

// failure gives the error of a call that must fail.
func failure(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) map[string]any {
	t.Helper()
	result, err := session.CallTool(deadline(t), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	object, _ := result.StructuredContent.(map[string]any)
	facts, ok := object["error"].(map[string]any)
	if !result.IsError || !ok {
		t.Fatalf("%s %v: %+v", name, arguments, result)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, fmt.Sprint(facts["message"])) {
		t.Errorf("the text %q does not say %q", text, facts["message"])
	}
	return facts
}

// TestArgumentsAreDecodedBeforeTheCaller: in a place where no caller can be resolved, what is wrong with
// the arguments is still what a model is told.
func TestArgumentsAreDecodedBeforeTheCaller(t *testing.T) {
	session := serve(t, mcpserver.Options{Version: "test"}, map[string]string{"ACC_DATA_HOME": "not absolute"})
	good := map[string]map[string]any{
		"acc_status": {}, "acc_sync": {}, "acc_work": {"clear": true}, "acc_claim": {"resource": "a"}, "acc_release": {"resource": "a"},
		"acc_message": {"subject": "s", "body": "b"}, "acc_request": {"toParticipantId": "p", "title": "t", "detail": "d"}, "acc_inbox": {},
		"acc_reply": {"messageId": "m", "body": "b"}, "acc_ack": {"messageId": "m"}, "acc_finish": {"goal": "g"}, "acc_wait": {"timeoutSeconds": 1},
	}
	list, err := session.ListTools(deadline(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		arguments := good[tool.Name]
		if got := failure(t, session, tool.Name, arguments); !strings.Contains(fmt.Sprint(got["message"]), "ACC_DATA_HOME") {
			t.Errorf("%s with good arguments fails with %v", tool.Name, got)
		}
		bad := map[string]any{"sessionId": "session_of_somebody"}
		for name, value := range arguments {
			bad[name] = value
		}
		if got := failure(t, session, tool.Name, bad); got["reason"] != "invalid_arguments" {
			t.Errorf("%s with an unknown member fails with %v", tool.Name, got)
		}
	}
}

// TestOffersWhatItRecorded: each message goes to the router after it is recorded, and the answer says what
// became of it then.
func TestOffersWhatItRecorded(t *testing.T) {
	where := newSite(t)
	env := func(name string) map[string]string {
		all := map[string]string{}
		for _, pair := range where.env(name) {
			key, value, _ := strings.Cut(pair, "=")
			all[key] = value
		}
		return all
	}
	offered := map[string]string{}
	alice := serve(t, mcpserver.Options{Offer: func(ctx context.Context, r *room.Room, messageID string) {
		m, err := r.Core.Message(ctx, messageID)
		if err != nil {
			t.Errorf("offered before it was recorded: %v", err)
			return
		}
		offered[messageID] = string(m.Message.MessageKind)
	}}, env("alice"))
	bob := serve(t, mcpserver.Options{}, env("bob"))
	call(t, bob, "acc_status", nil)
	question := call(t, alice, "acc_message", map[string]any{"to": []string{"bob"}, "kind": "question", "subject": "s", "body": "b"})["messageId"]
	back := call(t, bob, "acc_request", map[string]any{"toParticipantId": "alice", "title": "t", "detail": "d"})["messageId"]
	call(t, alice, "acc_reply", map[string]any{"messageId": back, "body": "b"})
	call(t, alice, "acc_finish", map[string]any{"goal": "g", "toParticipantId": "bob"})
	kinds := map[string]bool{}
	for _, kind := range offered {
		kinds[kind] = true
	}
	if offered[fmt.Sprint(question)] != "question" || !kinds[string(protocol.Answer)] || !kinds[string(protocol.Handoff)] || len(offered) != 3 {
		t.Errorf("offered %v", offered)
	}
}
