package main

import (
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/tools/realclient"
)

var geminiCLI = client{
	name: "gemini-cli", adapterID: "gemini_cli", dir: "geminicli", command: "gemini",
	source: source{packages: []string{"@google/gemini-cli"}, executable: ".bin/gemini"},
	args: func(prompt string, again bool) []string {
		args := []string{"-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", prompt}
		if again {
			args = append(args, "--resume", "latest")
		}
		return args
	},
	env: func(s *stage) []string {
		return []string{
			"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + s.model.URL, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=false", "NO_BROWSER=true",
		}
	},
	prepare: func(s *stage) error {
		return prepend(filepath.Join(s.home, ".gemini", "settings.json"),
			`{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"disableAutoUpdate":true},`+
				`"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`)
	},
	write: func(path, content string) realclient.Step {
		return realclient.Step{Tool: "write_file", Input: map[string]any{"file_path": path, "content": content}}
	},
	shell: func(command string) realclient.Step {
		return realclient.Step{Tool: "run_shell_command", Input: map[string]any{"command": command, "description": "certify"}}
	},
	spawn: func(task string) realclient.Step {
		return realclient.Step{Tool: "invoke_agent", Input: map[string]any{"agent_name": "generalist", "prompt": task}}
	},
	authority: "user", shellTool: "run_shell_command",
	events: eventNames{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd", "", ""},
	wires:  []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"},
	screen: screen{
		args: func(again bool) []string {
			args := []string{"-m", "gemini-2.5-flash", "--approval-mode", "yolo"}
			if again {
				args = append(args, "--resume", "latest")
			}
			return args
		},
		ready: "Type your message", settles: 2 * time.Second,
		quit: "/quit", clear: "/clear", compact: "/compress", compacted: "ompress",
	},
	shapes: []shape{
		{"decision deny", reply{Stdout: decisionDeny}, false, true},
		{"decision block", reply{Stdout: decisionBlock}, false, true},
		{"exit 2 and standard error", reply{Stderr: plain, Code: 2}, false, true},
		{"exit 2 and a decision to allow", reply{Stdout: decisionAllow, Code: 2}, true, false},
		{"exit 1 and a decision to deny", reply{Stdout: decisionDeny, Code: 1}, false, true},
		{"exit 1 and standard error", reply{Stderr: plain, Code: 1}, true, false},
		{"permissionDecision deny", reply{Stdout: permissionDenied}, true, false},
		{"not JSON", reply{Stdout: noJSON}, true, false},
		{"additionalContext", reply{Stdout: addsContext}, true, false},
	},
	tellings: []telling{
		envelope(func(e eventNames) []string { return []string{e.start, e.prompt, e.after} }),
		plainly(nowhere),
	},
	lacks: map[string]string{"lifecycle.heartbeat": "the client has no event for it"},
}
