package mcpclients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/mcp-server/mcpinstall"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// patience is how long a client may take for a whole run.
const patience = 3 * time.Minute

// lab is one machine with a project, a data home and a client.
type lab struct {
	*testing.T
	root, home, data, project, bin string
	ctx                            context.Context
}

func newLab(t *testing.T, variable string) (l lab, client string) {
	t.Helper()
	client = os.Getenv(variable)
	if client == "" {
		t.Skipf("no real client: set %s to its executable, see doc.go", variable)
	}
	root, err := os.MkdirTemp("", "acc-mcp-client-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	l = lab{T: t, root: root, home: filepath.Join(root, "home"), data: filepath.Join(root, "data"), project: filepath.Join(root, "project"), ctx: ctx}
	l.bin = filepath.Join(l.data, "acc", "runtime", "bin")
	for _, dir := range []string{l.home, l.bin, filepath.Join(root, "tmp")} {
		l.must(os.MkdirAll(dir, 0o700))
	}
	l.run(root, nil, "git", "-c", "init.defaultBranch=main", "init", "-q", l.project)
	build := exec.Command("go", "build", "-o", filepath.Join(l.bin, "acc-mcp"), "./cmd/acc-mcp")
	build.Dir = filepath.Join("..", "..", "cli")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return l, client
}

func (l lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// write makes a file below the home.
func (l lab) write(name string, content any) {
	l.Helper()
	path := filepath.Join(l.home, name)
	l.must(os.MkdirAll(filepath.Dir(path), 0o700))
	data, isText := content.(string)
	if !isText {
		encoded, err := json.MarshalIndent(content, "", " ")
		l.must(err)
		data = string(encoded)
	}
	l.must(os.WriteFile(path, []byte(data), 0o600))
}

// run runs a command to its end and gives what it wrote.
func (l lab) run(dir string, env []string, name string, args ...string) string {
	l.Helper()
	cmd := exec.CommandContext(l.ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + filepath.Dir(name) + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + l.home, "TMPDIR=" + filepath.Join(l.root, "tmp"),
		"TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash",
	}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// register installs the server as acc install does. The data home is another than the client's home would
// give, so the server has to find it by where it is installed.
func (l lab) register(clientID string) {
	l.Helper()
	installer, err := mcpinstall.New(clientID)
	l.must(err)
	plan, err := installer.Plan(l.ctx, adapter.Machine{
		GOOS: "linux", Home: l.home, Data: filepath.Join(l.data, "acc"), Bin: l.bin, Version: "0.1.0", Now: time.Now,
		Env: func(name string) string { return map[string]string{"ACC_DATA_HOME": l.data}[name] },
	})
	l.must(err)
	l.must(plan.Apply(l.ctx))
}

// room enters the project's room.
func (l lab) room() *room.Room {
	l.Helper()
	r, err := room.Enter(l.ctx, room.Request{Dir: l.project, Env: func(name string) string { return map[string]string{"ACC_DATA_HOME": l.data}[name] }})
	l.must(err)
	return r
}

// judge checks what the client's calls left: the model saw the answers, the claim is recorded under the
// participant, and the server has gone with its client.
func (l lab) judge(m *Model, participant func(string) bool) {
	l.Helper()
	seen := strings.Join(m.Bodies(), "\n")
	for _, part := range []string{"file:src/**", "claim_"} {
		if !strings.Contains(seen, part) {
			l.Errorf("the model never saw %q in an answer", part)
		}
	}
	status, err := l.room().Core.Status(l.ctx, core.StatusQuery{All: true})
	l.must(err)
	if len(status.Claims) != 1 || status.Claims[0].Resource != "file:src/**" || !participant(status.Claims[0].OwnerParticipantID) {
		l.Fatalf("the claims are %+v", status.Claims)
	}
	var session protocol.Session
	l.must(l.room().Store.View(l.ctx, func(r core.Reader) error {
		stored, _, err := r.Get(protocol.KindSession, status.Claims[0].OwnerSessionID)
		if err == nil {
			session = *stored.Record.(*protocol.Session)
		}
		return err
	}))
	for (process.Table{}).Probe(session.PID, session.HeartbeatAt) != core.ProcessDead {
		select {
		case <-l.ctx.Done():
			l.Fatalf("the server %d outlives its client", session.PID)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func named(want string) func(string) bool { return func(got string) bool { return got == want } }

// script is what the model does: it looks, claims and waits.
func script(prefix, namespace string) []Call {
	var calls []Call
	for _, c := range []Call{
		{Tool: "acc_status", Arguments: object{}},
		{Tool: "acc_claim", Arguments: object{"resource": "src/**", "reason": "rework"}},
		{Tool: "acc_wait", Arguments: object{"timeoutSeconds": 1}},
	} {
		calls = append(calls, Call{prefix + c.Tool, namespace, c.Arguments})
	}
	return calls
}

func (l lab) model(calls []Call) *Model {
	l.Helper()
	m, err := StartModel(calls)
	l.must(err)
	l.Cleanup(m.Close)
	return m
}

func TestClaudeCode(t *testing.T) {
	l, client := newLab(t, "ACC_REAL_CLAUDE")
	find := Call{Tool: "ToolSearch", Arguments: object{"query": "select:mcp__acc__acc_status,mcp__acc__acc_claim,mcp__acc__acc_wait", "max_results": 5}}
	m := l.model(append([]Call{find}, script("mcp__acc__", "")...))
	l.write(".claude.json", object{
		"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "autoUpdates": false,
		"customApiKeyResponses": object{"approved": []string{"dummy"}, "rejected": []string{}},
		"projects":              object{l.project: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	l.register("claude_code")
	env := []string{
		"IS_SANDBOX=1", "ANTHROPIC_BASE_URL=" + m.URL, "ANTHROPIC_API_KEY=dummy", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
	if list := l.run(l.project, env, client, "mcp", "list"); !strings.Contains(list, "acc") || !strings.Contains(list, "Connected") {
		t.Errorf("claude mcp list says %s", list)
	}
	l.run(l.project, env, client, "-p", "go", "--dangerously-skip-permissions")
	l.judge(m, named("claude-code-mcp"))
}

func TestCodex(t *testing.T) {
	l, client := newLab(t, "ACC_REAL_CODEX")
	m := l.model(script("", "mcp__acc"))
	l.write(".codex/config.toml", fmt.Sprintf("model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\n"+
		"[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"%s/v1\"\nwire_api = \"responses\"\nenv_key = \"DUMMY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\n"+
		"[projects.%q]\ntrust_level = \"trusted\"\n", m.URL, l.project))
	l.register("codex")
	env := []string{"DUMMY=x", "CODEX_HOME=" + filepath.Join(l.home, ".codex")}
	if list := l.run(l.project, env, client, "mcp", "list"); !strings.Contains(list, "acc") || !strings.Contains(list, "enabled") {
		t.Errorf("codex mcp list says %s", list)
	}
	l.run(l.project, env, client, "exec", "--skip-git-repo-check", "go")
	l.judge(m, func(got string) bool { return strings.HasPrefix(got, "codex-") }) // of the thread that the client names
}

func TestGeminiCLI(t *testing.T) {
	l, client := newLab(t, "ACC_REAL_GEMINI")
	m := l.model(script("mcp_acc_", ""))
	l.write(".gemini/settings.json", object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}}, "general": object{"enableAutoUpdate": false, "disableAutoUpdate": true},
		"privacy": object{"usageStatisticsEnabled": false}, "telemetry": object{"enabled": false},
	})
	l.register("gemini_cli")
	env := []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + m.URL, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=false", "NO_BROWSER=true"}
	if list := l.run(l.project, env, client, "mcp", "list"); !strings.Contains(list, "acc") || !strings.Contains(list, "Connected") {
		t.Errorf("gemini mcp list says %s", list)
	}
	l.run(l.project, env, client, "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "go")
	l.judge(m, named("gemini-cli-mcp"))
}

func TestKimiCode(t *testing.T) {
	l, client := newLab(t, "ACC_REAL_KIMI")
	m := l.model(script("mcp__acc__", ""))
	l.write(".kimi-code/config.toml", fmt.Sprintf("default_model = \"scripted\"\ntelemetry = false\n\n[providers.scripted]\ntype = \"openai\"\nbase_url = \"%s/v1\"\napi_key = \"dummy\"\n\n"+
		"[models.scripted]\nprovider = \"scripted\"\nmodel = \"scripted\"\nmax_context_size = 128000\n", m.URL))
	l.register("kimi")
	l.run(l.project, []string{"KIMI_CODE_HOME=" + filepath.Join(l.home, ".kimi-code")}, client, "-p", "go")
	l.judge(m, named("kimi-mcp"))
}

// TestGrok: the client shows a model no tool of a server directly; the model names the tool to the client's own
// use_tool.
func TestGrok(t *testing.T) {
	l, client := newLab(t, "ACC_REAL_GROK")
	var calls []Call
	for _, c := range script("acc__", "") {
		calls = append(calls, Call{Tool: "use_tool", Arguments: object{"tool_name": c.Tool, "tool_input": c.Arguments}})
	}
	m := l.model(calls)
	l.write(".grok/config.toml", fmt.Sprintf("models = { default = \"scripted\" }\nmodel.scripted = { model = \"scripted\", base_url = \"%s/v1\", api_key = \"dummy\", api_backend = \"messages\", context_window = 128000 }\n", m.URL))
	l.register("grok")
	env := []string{"XAI_API_KEY=dummy", "GROK_HOME=" + filepath.Join(l.home, ".grok")}
	if list := l.run(l.project, env, client, "mcp", "list"); !strings.Contains(list, "acc") {
		t.Errorf("grok mcp list says %s", list)
	}
	l.run(l.project, env, client, "-p", "go", "--always-approve")
	l.judge(m, named("grok-mcp"))
}

// TestInspector lets the protocol's own tool drive every tool and resource; each call is a server of its
// own, so that what one recorded the next one finds.
func TestInspector(t *testing.T) {
	l, client := newLab(t, "ACC_REAL_INSPECTOR")
	inspect := func(participant string, args ...string) map[string]any {
		t.Helper()
		all := append([]string{"--cli", "-e", "ACC_DATA_HOME=" + l.data, "-e", "ACC_MCP_PARTICIPANT=" + participant, filepath.Join(l.bin, "acc-mcp")}, args...)
		out := l.run(l.project, nil, client, all...)
		var answer map[string]any
		if err := json.NewDecoder(bytes.NewReader([]byte(out))).Decode(&answer); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return answer
	}
	called := map[string]bool{}
	call := func(participant, tool string, arguments ...string) map[string]any {
		t.Helper()
		called[tool] = true
		args := []string{"--method", "tools/call", "--tool-name", tool}
		for _, a := range arguments {
			args = append(args, "--tool-arg", a)
		}
		answer := inspect(participant, args...)
		object, ok := answer["structuredContent"].(map[string]any)
		if answer["isError"] == true || !ok {
			t.Fatalf("%s: %v", tool, answer)
		}
		return object
	}
	call("alice", "acc_status")
	call("alice", "acc_sync", "scope=full")
	call("alice", "acc_work", "summary=testing", "mode=review")
	call("alice", "acc_claim", "resource=src/x.go", "leaseSeconds=60")
	call("bob", "acc_status", "all=true") // the room is durable now and remembers who was here
	call("alice", "acc_release", "resource=src/x.go")
	question := call("alice", "acc_message", `to=["bob"]`, "kind=question", "subject=hi", "body=hello")["messageId"].(string)
	call("alice", "acc_request", "toParticipantId=bob", "title=do", "detail=it")
	if got := call("bob", "acc_wait", "timeoutSeconds=30"); got["arrived"] != true {
		t.Errorf("bob waits and gets %v", got)
	}
	call("bob", "acc_inbox", "messageId="+question)
	answer := call("bob", "acc_reply", "messageId="+question, "body=yes")["messageId"].(string)
	call("alice", "acc_ack", "messageId="+answer)
	call("alice", "acc_finish", "goal=done")
	for _, tool := range inspect("alice", "--method", "tools/list")["tools"].([]any) {
		if name := tool.(map[string]any)["name"].(string); !called[name] {
			t.Errorf("%s was not called", name)
		}
	}
	for _, r := range inspect("bob", "--method", "resources/list")["resources"].([]any) {
		uri := r.(map[string]any)["uri"].(string)
		if contents := inspect("bob", "--method", "resources/read", "--uri", uri)["contents"].([]any); len(contents) != 1 {
			t.Errorf("%s: %v", uri, contents)
		}
	}
}
