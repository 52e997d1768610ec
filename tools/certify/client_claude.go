package main

import (
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/tools/realclient"
)

var claudeCode = client{
	name: "claude-code", adapterID: "claude_code", dir: "claudecode", command: "claude",
	source: source{packages: []string{"@anthropic-ai/claude-code-" + platformOfNode()}, executable: "@anthropic-ai/claude-code-" + platformOfNode() + "/claude"},
	args: func(prompt string, again bool) []string {
		args := []string{"-p", prompt, "--permission-mode", "bypassPermissions"}
		if again {
			args = append(args, "-c")
		}
		return args
	},
	env: func(s *stage) []string {
		return []string{
			"ANTHROPIC_BASE_URL=" + s.model.URL, "ANTHROPIC_API_KEY=dummy", "IS_SANDBOX=1", "XDG_RUNTIME_DIR=" + s.root,
			"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		}
	},
	prepare: func(s *stage) error {
		return prepend(filepath.Join(s.home, ".claude.json"), `{"hasCompletedOnboarding":true,"theme":"dark","numStartups":5,"autoUpdates":false,`+
			`"hasSeenAutoDefaultNudge":true,"bypassPermissionsModeAccepted":true,"customApiKeyResponses":{"approved":["dummy"],"rejected":[]},`+
			`"projects":{`+quoted(s.project)+`:{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true,"projectOnboardingSeenCount":4}}}`)
	},
	write: func(path, content string) realclient.Step {
		return realclient.Step{Tool: "Write", Input: map[string]any{"file_path": path, "content": content}}
	},
	shell: func(command string) realclient.Step {
		return realclient.Step{Tool: "Bash", Input: map[string]any{"command": command}}
	},
	spawn: func(task string) realclient.Step {
		return realclient.Step{Tool: "Agent", Input: map[string]any{"description": "certify", "prompt": task, "subagent_type": "general-purpose"}}
	},
	authority: "system", shellTool: "Bash", events: claudes,
	wires: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"},
	screen: screen{
		args: func(again bool) []string {
			args := []string{"--permission-mode", "bypassPermissions"}
			if again {
				args = append(args, "-c")
			}
			return args
		},
		dialogs: []dialog{{"Yes, I accept", []string{"Down", "Enter"}}, {"Yes, I trust this folder", []string{"Enter"}}},
		ready:   "bypass permissions on", settles: time.Second,
		quit: "/exit", clear: "/clear", compact: "/compact", compacted: "Compacted",
	},
	shapes: []shape{
		{"permissionDecision deny", reply{Stdout: permissionDenied}, false, true},
		{"decision block", reply{Stdout: decisionBlock}, false, true},
		{"exit 2 and standard error", reply{Stderr: plain, Code: 2}, false, true},
		{"exit 1 and standard error", reply{Stderr: plain, Code: 1}, true, false},
		{"not JSON", reply{Stdout: noJSON}, true, false},
		{"plain text", reply{Stdout: plain}, true, false},
		{"additionalContext", reply{Stdout: addsContext}, true, true},
	},
	tellings: []telling{
		envelope(func(e eventNames) []string { return []string{e.start, e.prompt, e.before, e.after} }),
		plainly(func(e eventNames) []string { return []string{e.start, e.prompt} }),
	},
	lacks: map[string]string{"lifecycle.heartbeat": "the client has no event for it"},
}
