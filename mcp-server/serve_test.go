package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	mcpserver "github.com/acc-control-plane/acc/mcp-server"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
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

// taker is a client that takes every offer and remembers what it was asked for.
type taker struct{ offered chan string }

func (k taker) Bind(context.Context, adapter.BindRequest) adapter.Handshake {
	return adapter.Handshake{Reason: adapter.NativeSessionUnavailable}
}

func (k taker) Refresh(_ context.Context, _ adapter.Vault, e adapter.Endpoint) adapter.Handshake {
	return adapter.Handshake{
		ClientVersion: "2.0.0", Protocol: "tool-v1", Modes: []protocol.DeliveryMode{protocol.LivePush}, Endpoint: e.Ref,
	}
}

func (k taker) Offer(_ context.Context, _ adapter.Vault, _ adapter.Endpoint, o adapter.Offer) adapter.OfferAnswer {
	k.offered <- o.MessageID
	return adapter.OfferAnswer{State: adapter.OfferAccepted, ClientVersion: "2.0.0"}
}

func (k taker) Retire(context.Context, adapter.Vault, string) error { return nil }

// TestOffersWhatItRecorded: every kind of message that a tool records is offered to a running session, and
// the answer says what came of it.
func TestOffersWhatItRecorded(t *testing.T) {
	where := newSite(t)
	env := map[string]string{}
	for _, pair := range where.env("alice") {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	r, err := room.Enter(deadline(t), room.Request{Env: func(name string) string { return env[name] }, Dir: where.project})
	if err != nil {
		t.Fatal(err)
	}
	took := taker{make(chan string, 10)}
	live, err := adapter.NewLive("tool", adapter.Contract{
		Transport: "live-adapter", Protocol: "tool-v1", Kind: adapter.OfferMessage, Modes: []protocol.DeliveryMode{protocol.LivePush}, Minimum: "1.0.0", OfferTime: 5 * time.Second,
	}, took)
	if err != nil {
		t.Fatal(err)
	}
	alice := serve(t, mcpserver.Options{Lives: []*adapter.Live{live}}, env)
	call(t, alice, "acc_status", map[string]any{})

	bob, err := r.Core.OpenSession(deadline(t), core.OpenSession{ParticipantID: "bob", Harness: "tool", PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	owner := core.Owner{SessionID: bob.SessionID, Generation: bob.Generation}
	if err := livefiles.NewPolicies(r.Home).SetLivePolicy("tool", protocol.LiveAll); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Core.PublishBinding(deadline(t), owner, core.BindingRequest{
		AdapterID: "tool", ClientVersion: "2.0.0", Modes: []protocol.DeliveryMode{protocol.LivePush}, Policy: protocol.LiveAll, Endpoint: "ref",
	}); err != nil {
		t.Fatal(err)
	}
	asked, err := r.Core.Send(deadline(t), owner, core.SendRequest{To: []string{"alice"}, MessageKind: protocol.Question, Subject: "s", Body: "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"acc_message", map[string]any{"to": []string{"bob"}, "subject": "s", "body": "b"}},
		{"acc_request", map[string]any{"toParticipantId": "bob", "title": "t", "detail": "d"}},
		{"acc_reply", map[string]any{"messageId": asked.Message.MessageID, "body": "b"}},
		{"acc_finish", map[string]any{"goal": "g", "toParticipantId": "bob"}},
	} {
		sent := call(t, alice, c.tool, c.arguments)
		delivery := sent["delivery"].([]any)[0].(map[string]any)
		if delivery["outcome"] != "offered" || delivery["transport"] != "live-adapter" {
			t.Errorf("%s: %v", c.tool, delivery)
		}
		select {
		case id := <-took.offered:
			if id != sent["messageId"] {
				t.Errorf("%s recorded %v and offered %s", c.tool, sent["messageId"], id)
			}
		default:
			t.Errorf("%s offered nothing", c.tool)
		}
		// A hook of the recipient ran: until then nothing else is offered to it.
		if err := livefiles.NewLedger(r.Home, r.Dir).EndWake(bob.SessionID, protocol.GenerationRef(bob.Generation)); err != nil {
			t.Fatal(err)
		}
	}
}
