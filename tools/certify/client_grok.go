package main

import (
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/tools/realclient"
)

var grokCLI = client{
	name: "grok", adapterID: "grok", dir: "grok", command: "grok",
	source: source{packages: []string{"@xai-official/grok"}, executable: "@xai-official/grok/bin/grok"},
	args: func(prompt string, again bool) []string {
		args := []string{"-p", prompt, "--always-approve"}
		if again {
			args = append(args, "--continue")
		}
		return args
	},
	env: func(*stage) []string { return []string{"XAI_API_KEY=dummy"} },
	prepare: func(s *stage) error {
		return prepend(filepath.Join(s.home, ".grok", "config.toml"), `models = { default = "fake" }
model.fake = { model = "fake-model", base_url = `+quoted(s.model.URL+"/v1")+`, api_key = "dummy", api_backend = "messages", context_window = 128000 }
`)
	},
	write: func(path, content string) realclient.Step {
		return realclient.Step{Tool: "write", Input: map[string]any{"file_path": path, "content": content}}
	},
	shell: func(command string) realclient.Step {
		return realclient.Step{Tool: "run_terminal_command", Input: map[string]any{"command": command, "description": "certify"}}
	},
	spawn: func(task string) realclient.Step {
		return realclient.Step{Tool: "spawn_subagent", Input: map[string]any{"description": "certify", "prompt": task, "background": false}}
	},
	authority: "user", shellTool: "run_terminal_command", events: claudes,
	wires: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"},
	screen: screen{
		args: func(again bool) []string {
			args := []string{"--always-approve"}
			if again {
				args = append(args, "--continue")
			}
			return args
		},
		ready: "fake", settles: 4 * time.Second,
		quit: "/exit", clear: "/clear", compact: "/compact", compacted: "ompact",
	},
	shapes: []shape{
		{"decision deny", reply{Stdout: decisionDeny}, false, true},
		{"decision block", reply{Stdout: decisionBlock}, false, true},
		{"exit 1 and a decision to deny", reply{Stdout: decisionDeny, Code: 1}, false, true},
		{"permissionDecision deny", reply{Stdout: permissionDenied}, false, true},
		{"exit 2 and standard error", reply{Stderr: plain, Code: 2}, false, true},
		{"exit 1 and standard error", reply{Stderr: plain, Code: 1}, true, false},
		{"not JSON", reply{Stdout: noJSON}, true, false},
		{"additionalContext", reply{Stdout: addsContext}, true, true},
	},
	tellings: []telling{
		envelope(func(e eventNames) []string { return []string{e.before, e.after} }),
		plainly(nowhere),
	},
	lacks: map[string]string{
		"lifecycle.heartbeat":         "the client has no event for it",
		"context.startupInjection":    "the model does not hear what is said at the start of a session",
		"context.beforeTurnInjection": "the model does not hear what is said before a turn",
		"delivery.nextTurn":           "the model does not hear what is said before a turn; a message comes with the result of a tool",
	},
}
