package mcpserver_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	mcpserver "github.com/acc-control-plane/acc/mcp-server"
)

// asServer makes the test binary a server.
const asServer = "ACC_MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		mcpserver.Main(mcpserver.Options{Version: "test", Tags: []string{"system-reminder"}})
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// site is a data home and a project.
type site struct{ home, project string }

func newSite(t *testing.T) site {
	t.Helper()
	s := site{t.TempDir(), filepath.Join(t.TempDir(), "project")}
	if err := os.Mkdir(s.project, 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s site) env(participant string) []string {
	return []string{"ACC_DATA_HOME=" + s.home, "ACC_MCP_WORKSPACE=" + s.project, "ACC_MCP_PARTICIPANT=" + participant}
}

// heard is what a client was told without asking.
type heard struct {
	updates  chan string // uris
	progress chan *mcp.ProgressNotificationParams
}

// connect starts a real server and connects the library's client to it, in one version of the protocol.
func (s site) connect(t *testing.T, participant, version string) (*mcp.ClientSession, heard) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(s.env(participant), asServer+"=1", "HOME="+s.home)
	cmd.Stderr = os.Stderr
	h := heard{make(chan string, 100), make(chan *mcp.ProgressNotificationParams, 100)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler:      func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { h.updates <- r.Params.URI },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { h.progress <- r.Params },
	})
	session, err := client.Connect(deadline(t), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return session, h
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// call calls a tool that must succeed and gives its object.
func call(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) map[string]any {
	t.Helper()
	result, err := session.CallTool(deadline(t), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	object, ok := result.StructuredContent.(map[string]any)
	if result.IsError || !ok {
		t.Fatalf("%s: %+v", name, result)
	}
	if len(result.Content) != 1 || result.Content[0].(*mcp.TextContent).Text == "" {
		t.Fatalf("%s has no text: %+v", name, result.Content)
	}
	return object
}

var versions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// TestTheLibrarysClientDrivesEveryTool calls each tool of the list and no other, in every version.
func TestTheLibrarysClientDrivesEveryTool(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			where := newSite(t)
			a, _ := where.connect(t, "alice", version)
			b, _ := where.connect(t, "bob", version)
			calls := map[string]int{}
			do := func(session *mcp.ClientSession, name string, arguments map[string]any) map[string]any {
				t.Helper()
				calls[name]++
				return call(t, session, name, arguments)
			}
			do(a, "acc_status", map[string]any{"all": true})
			do(b, "acc_work", map[string]any{"summary": "test", "mode": "review", "state": "active", "resourceHints": []string{"a.go"}})
			claim := do(a, "acc_claim", map[string]any{"resource": "a.go", "mode": "shared", "reason": "r", "leaseSeconds": 60})["claim"].(map[string]any)
			do(a, "acc_release", map[string]any{"claimId": claim["claimId"]})
			note := do(a, "acc_message", map[string]any{"to": []string{"bob"}, "subject": "s", "body": "b", "clientMessageId": "k"})
			request := do(a, "acc_request", map[string]any{"toParticipantId": "bob", "title": "t", "detail": "d"})
			if items := do(b, "acc_wait", map[string]any{"timeoutSeconds": 60})["items"].([]any); len(items) != 2 {
				t.Errorf("bob waits and finds %d of two messages", len(items))
			}
			if items := do(b, "acc_inbox", map[string]any{"limit": 1})["items"].([]any); len(items) != 1 {
				t.Errorf("a page of one holds %d", len(items))
			}
			do(b, "acc_inbox", map[string]any{"messageId": note["messageId"]})
			do(b, "acc_ack", map[string]any{"messageId": note["messageId"]})
			do(b, "acc_reply", map[string]any{"messageId": request["messageId"], "body": "done", "subject": "Re"})
			full := do(a, "acc_sync", map[string]any{"scope": "full", "limit": 500})
			if full["snapshot"] == nil || len(full["events"].([]any)) == 0 {
				t.Errorf("a full sync gives %v", full)
			}
			do(a, "acc_sync", map[string]any{"cursor": full["cursor"]})
			do(a, "acc_sync", map[string]any{"scope": "history", "kind": "answer"})
			do(a, "acc_finish", map[string]any{"goal": "g", "status": "partial", "remaining": []string{"r"}, "blockers": []string{"x"}})

			list, err := a.ListTools(deadline(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			var listed []string
			for _, tool := range list.Tools {
				listed = append(listed, tool.Name)
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(calls)), listed); diff != "" {
				t.Errorf("the tools that were called and those listed differ (-called +listed):\n%s", diff)
			}
		})
	}
}

// TestToolsListIsSmall: every session of a model pays for the list.
func TestToolsListIsSmall(t *testing.T) {
	session, _ := newSite(t).connect(t, "alice", "2025-11-25")
	list, err := session.ListTools(deadline(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) > 12 || len(data) > 8<<10 {
		t.Errorf("%d tools in %d bytes", len(list.Tools), len(data))
	}
	t.Logf("%d tools in %d bytes", len(list.Tools), len(data))
	for _, tool := range list.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		if schema["type"] != "object" || schema["additionalProperties"] != false {
			t.Errorf("the arguments of %s are not a closed object: %v", tool.Name, schema)
		}
	}
}

// TestAnnotationsAreTrue compares what a tool says of itself with what calling it does to the room.
func TestAnnotationsAreTrue(t *testing.T) {
	session, _ := newSite(t).connect(t, "alice", "2025-11-25")
	call(t, session, "acc_claim", map[string]any{"resource": "first.go"}) // the room is durable now
	list, err := session.ListTools(deadline(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	reading := map[string]map[string]any{"acc_status": {}, "acc_sync": {}, "acc_wait": {"timeoutSeconds": 1}}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s does not say that it stays on this machine", tool.Name)
			continue
		}
		arguments, reads := reading[tool.Name]
		if a.ReadOnlyHint != reads {
			t.Errorf("%s says readOnlyHint %v", tool.Name, a.ReadOnlyHint)
		}
		if reads {
			before := call(t, session, "acc_sync", map[string]any{"scope": "full"})
			call(t, session, tool.Name, arguments)
			if diff := cmp.Diff(before, call(t, session, "acc_sync", map[string]any{"scope": "full"})); diff != "" {
				t.Errorf("%s says that it only reads and changed:\n%s", tool.Name, diff)
			}
			continue
		}
		if a.DestructiveHint == nil || *a.DestructiveHint != (tool.Name == "acc_release" || tool.Name == "acc_finish") {
			t.Errorf("%s says destructiveHint %v", tool.Name, a.DestructiveHint)
		}
	}
}

// TestResourcesTellOfTheirChanges reads every resource, subscribes, and is told when another one acts.
func TestResourcesTellOfTheirChanges(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			where := newSite(t)
			a, told := where.connect(t, "alice", version)
			b, _ := where.connect(t, "bob", version)
			call(t, a, "acc_status", nil)
			call(t, b, "acc_status", nil)
			list, err := a.ListResources(deadline(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			var uris []string
			for _, r := range list.Resources {
				uris = append(uris, r.URI)
				if err := a.Subscribe(deadline(t), &mcp.SubscribeParams{URI: r.URI}); err != nil {
					t.Fatalf("%s: %v", r.URI, err)
				}
			}
			if diff := cmp.Diff([]string{"acc://inbox", "acc://roster", "acc://snapshot"}, uris); diff != "" {
				t.Fatalf("resources (-want +got):\n%s", diff)
			}
			read := func(uri string) string {
				result, err := a.ReadResource(deadline(t), &mcp.ReadResourceParams{URI: uri})
				if err != nil {
					t.Fatal(err)
				}
				if result.CacheScope != "private" || result.TTLMs != 0 {
					t.Errorf("%s may be kept as %+v", uri, result.Cacheable)
				}
				return result.Contents[0].Text
			}
			if inbox := read("acc://inbox"); inbox != `{"items":[],"nextCursor":null}` {
				t.Errorf("the inbox begins as %s", inbox)
			}
			// What does not concern a resource is not told of it: nothing waits for alice yet.
			call(t, b, "acc_claim", map[string]any{"resource": "x.go"})
			for uri := ""; uri != "acc://snapshot"; {
				select {
				case uri = <-told.updates:
				case <-deadline(t).Done():
					t.Fatal("never told of the snapshot")
				}
				if uri == "acc://inbox" {
					t.Error("told of an inbox that did not change")
				}
			}
			call(t, b, "acc_work", map[string]any{"summary": "work on x"})
			call(t, b, "acc_message", map[string]any{"to": []string{"alice"}, "subject": "about x", "body": "b"})
			missing := map[string]bool{}
			for _, uri := range uris {
				missing[uri] = true
			}
			for len(missing) > 0 {
				select {
				case uri := <-told.updates:
					delete(missing, uri)
				case <-deadline(t).Done():
					t.Fatalf("never told of %v", missing)
				}
			}
			for uri, part := range map[string]string{"acc://inbox": "about x", "acc://roster": "work on x", "acc://snapshot": "file:x.go"} {
				if text := read(uri); !strings.Contains(text, part) {
					t.Errorf("%s lacks %q: %s", uri, part, text)
				}
			}
			if err := a.Unsubscribe(deadline(t), &mcp.UnsubscribeParams{URI: "acc://inbox"}); err != nil {
				t.Errorf("unsubscribe: %v", err)
			}
		})
	}
}

// TestAWaitReportsProgressAndCanBeCancelled: the token of the call comes back, and who gives up is not
// kept.
func TestAWaitReportsProgressAndCanBeCancelled(t *testing.T) {
	a, told := newSite(t).connect(t, "alice", "2025-11-25")
	ctx, cancel := context.WithCancel(deadline(t))
	params := &mcp.CallToolParams{Name: "acc_wait", Arguments: map[string]any{"timeoutSeconds": 600}}
	params.SetProgressToken("token-7")
	ended := make(chan error, 1)
	go func() {
		_, err := a.CallTool(ctx, params)
		ended <- err
	}()
	select {
	case p := <-told.progress:
		if p.ProgressToken != "token-7" || p.Total != 600 {
			t.Errorf("progress is %+v", p)
		}
	case <-deadline(t).Done():
		t.Fatal("no progress")
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled call succeeded")
	}
	call(t, a, "acc_status", nil)
}
