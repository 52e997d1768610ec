package main

import (
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/tools/realclient"
)

var kimiCode = client{
	name: "kimi", adapterID: "kimi", dir: "kimi", command: "kimi",
	source: source{packages: []string{"@moonshot-ai/kimi-code", "node@24"}, executable: ".bin/kimi"},
	args: func(prompt string, again bool) []string {
		if again {
			return []string{"-c", "-p", prompt}
		}
		return []string{"-p", prompt}
	},
	env: func(*stage) []string { return nil },
	prepare: func(s *stage) error {
		return prepend(filepath.Join(s.home, ".kimi-code", "config.toml"), `default_model = "fake"
telemetry = false
providers.fake = { type = "anthropic", base_url = `+quoted(s.model.URL)+`, api_key = "dummy" }
models.fake = { provider = "fake", model = "fake-model", max_context_size = 128000 }
`)
	},
	write: func(path, content string) realclient.Step {
		return realclient.Step{Tool: "Write", Input: map[string]any{"path": path, "content": content}}
	},
	shell: func(command string) realclient.Step {
		return realclient.Step{Tool: "Bash", Input: map[string]any{"command": command}}
	},
	spawn: func(task string) realclient.Step {
		return realclient.Step{Tool: "Agent", Input: map[string]any{"description": "certify", "prompt": task}}
	},
	authority: "user", shellTool: "Bash",
	events: eventNames{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd", "SessionHeartbeat", "PostCompact"},
	wires:  []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionHeartbeat", "PostCompact", "SessionEnd"},
	screen: screen{
		args: func(again bool) []string {
			args := []string{"--auto"}
			if again {
				args = append(args, "-c")
			}
			return args
		},
		dialogs: []dialog{{"Trust this folder", []string{"Enter"}}},
		ready:   "/help", settles: 3 * time.Second,
		quit: "/exit", clear: "/clear", compact: "/compact", compacted: "Compaction complete",
	},
	shapes: []shape{
		{"exit 2 and standard error", reply{Stderr: plain, Code: 2}, false, true},
		{"permissionDecision deny", reply{Stdout: permissionDenied}, false, true},
		{"exit 2 and standard output", reply{Stdout: plain, Code: 2}, false, false},
		{"decision deny", reply{Stdout: decisionDeny}, true, false},
		{"decision block", reply{Stdout: decisionBlock}, true, false},
		{"exit 1 and a permissionDecision", reply{Stdout: permissionDenied, Code: 1}, true, false},
		{"not JSON", reply{Stdout: noJSON}, true, false},
		{"additionalContext", reply{Stdout: addsContext}, true, false},
	},
	tellings: []telling{
		plainly(func(e eventNames) []string { return []string{e.prompt} }),
		{"a member message", `{"message":"WORD"}`, func(e eventNames) []string { return []string{e.prompt} }},
	},
	lacks: map[string]string{
		"context.startupInjection":   "the model does not hear what is said at the start of a session",
		"context.safePointInjection": "the model hears nothing within a turn but a refusal",
	},
}
