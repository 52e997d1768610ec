package main

import (
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/tools/realclient"
)

const (
	codexClassic  = "gpt-5.5"     // calls each tool by its name
	codexCodeMode = "gpt-6.2-sol" // writes a program that calls them
	codeMode      = "code mode"
)

var codexCLI = client{
	name: "codex-cli", adapterID: "codex", dir: "codex", command: "codex",
	source: source{packages: []string{"@openai/codex"}, executable: ".bin/codex"},
	args:   codexArgs,
	env: func(s *stage) []string {
		return []string{"CODEX_HOME=" + filepath.Join(s.home, ".codex"), "FAKE_KEY=dummy", "TMPDIR=" + s.temp}
	},
	prepare: codexPrepare(codexClassic),
	write: func(path, content string) realclient.Step {
		return realclient.Step{Tool: "apply_patch", Input: codexPatch(path, content)}
	},
	shell: func(command string) realclient.Step {
		return realclient.Step{Tool: "exec_command", Input: map[string]any{"cmd": command}}
	},
	authority: "developer", shellTool: "Bash", events: claudes,
	wires: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"},
	screen: screen{
		args: func(again bool) []string {
			if again {
				return []string{"resume", "--last"}
			}
			return nil
		},
		dialogs: []dialog{
			{"› 2. Trust all and continue", []string{"Enter"}}, {"› 1. Review hooks", []string{"Down"}}, {"t trust all", []string{"t"}},
		},
		ready: "for shortcuts", settles: 3 * time.Second, asksLate: time.Minute,
		quit: "/quit", clear: "/clear", compact: "/compact", compacted: "Context compacted",
		variant: codeMode, // whose models can start subagents
		leave:   stopCodex,
	},
	variants: map[string]func(client) client{codeMode: codexInCodeMode},
	shapes: []shape{
		{"permissionDecision deny", reply{Stdout: permissionDenied}, false, true},
		{"decision block", reply{Stdout: decisionBlock}, false, true},
		{"exit 2 and standard error", reply{Stderr: plain, Code: 2}, false, true},
		{"exit 2 and standard output", reply{Stdout: plain, Code: 2}, true, false},
		{"a refusal without a reason", reply{Stdout: `{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny"}}`}, true, false},
		{"exit 1 and standard error", reply{Stderr: plain, Code: 1}, true, false},
		{"not JSON", reply{Stdout: noJSON}, true, false},
		{"plain text", reply{Stdout: plain}, true, false},
		{"a member that it does not know", reply{Stdout: `{"additionalContext":"WORD"}`}, true, false},
		{"additionalContext", reply{Stdout: addsContext}, true, true},
	},
	tellings: []telling{
		envelope(func(e eventNames) []string { return []string{e.start, e.prompt, e.before, e.after} }),
		plainly(func(e eventNames) []string { return []string{e.start, e.prompt} }),
		{"plain text in brackets", "[acc] WORD", nowhere},
	},
	lacks: map[string]string{"lifecycle.heartbeat": "the client has no event for it"},
}

func codexArgs(prompt string, again bool) []string {
	args := []string{"exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"}
	if again {
		args = append(args, "resume", "--last")
	}
	return append(args, prompt)
}

// codexInCodeMode is the client with a model whose one tool takes a program.
func codexInCodeMode(c client) client {
	program := func(source string) realclient.Step {
		return realclient.Step{Namespace: "functions", Tool: "exec", Input: source}
	}
	c.prepare = codexPrepare(codexCodeMode)
	c.spawn = func(task string) realclient.Step {
		return realclient.Step{Namespace: "collaboration", Tool: "spawn_agent", Input: map[string]any{"task_name": "helper", "message": task, "fork_turns": "none"}}
	}
	c.write = func(path, content string) realclient.Step {
		return program("text(await tools.apply_patch(" + quoted(codexPatch(path, content)) + "));")
	}
	c.shell = func(command string) realclient.Step {
		return program("text(await tools.exec_command({cmd: " + quoted(command) + "}));")
	}
	return c
}

func codexPatch(path, content string) string {
	return "*** Begin Patch\n*** Add File: " + path + "\n+" + content + "\n*** End Patch"
}

// codexPrepare writes the configuration before the tables that the installation wrote.
func codexPrepare(model string) func(s *stage) error {
	return func(s *stage) error {
		return prepend(filepath.Join(s.home, ".codex", "config.toml"), `model = `+quoted(model)+`
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_providers.fake = { name = "fake", base_url = `+quoted(s.model.URL+"/v1")+`, wire_api = "responses", env_key = "FAKE_KEY" }
projects = { `+quoted(s.project)+` = { trust_level = "trusted" } }
analytics = { enabled = false }
notice.model_migrations = { `+quoted(codexClassic)+` = "gpt-6-sol" }
tui = { screen_reader_detection_done = true }
`)
	}
}
