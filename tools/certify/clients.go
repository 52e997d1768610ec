package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/acc-control-plane/acc/tools/realclient"
)

// client is what differs between the clients.
type client struct {
	name      string // certification name
	adapterID string
	dir       string // below adapters
	command   string // what its executable is called
	packages  string // where it comes from
	// args starts one run without a terminal; again continues the conversation of the run before.
	args func(prompt string, again bool) []string
	// env is added to that of every run.
	env func(s *stage) []string
	// prepare writes what the client needs besides the installation of acc.
	prepare func(s *stage) error
	// write and shell make the model's calls: a file with a content, a command line.
	write func(path, content string) realclient.Step
	shell func(command string) realclient.Step
	// authority is the role in which the model hears what hooks say.
	authority string
	shellTool string // what hooks call the tool that runs command lines
	events    eventNames
}

// eventNames are the client's names of the hook points.
type eventNames struct{ start, prompt, before, after, end string }

var common = eventNames{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionEnd"}

var clients = []client{
	{
		name: "claude-code", adapterID: "claude_code", dir: "claudecode", command: "claude", packages: "@anthropic-ai/claude-code",
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
		prepare: func(*stage) error { return nil },
		write: func(path, content string) realclient.Step {
			return realclient.Step{Tool: "Write", Input: map[string]any{"file_path": path, "content": content}}
		},
		shell: func(command string) realclient.Step {
			return realclient.Step{Tool: "Bash", Input: map[string]any{"command": command}}
		},
		authority: "system", shellTool: "Bash", events: common,
	},
	{
		name: "codex-cli", adapterID: "codex", dir: "codex", command: "codex", packages: "@openai/codex",
		args: func(prompt string, again bool) []string {
			args := []string{"exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"}
			if again {
				args = append(args, "resume", "--last")
			}
			return append(args, prompt)
		},
		env: func(s *stage) []string {
			return []string{"CODEX_HOME=" + filepath.Join(s.home, ".codex"), "FAKE_KEY=dummy", "TMPDIR=" + s.temp}
		},
		prepare: func(s *stage) error { return appendTo(filepath.Join(s.home, ".codex", "config.toml"), codexConfig(s)) },
		write: func(path, content string) realclient.Step {
			patch := "*** Begin Patch\n*** Add File: " + path + "\n+" + content + "\n*** End Patch"
			return realclient.Step{Tool: "apply_patch", Input: patch}
		},
		shell: func(command string) realclient.Step {
			return realclient.Step{Tool: "exec_command", Input: map[string]any{"cmd": command}}
		},
		authority: "developer", shellTool: "Bash", events: common,
	},
	{
		name: "gemini-cli", adapterID: "gemini_cli", dir: "geminicli", command: "gemini", packages: "@google/gemini-cli",
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
			return appendTo(filepath.Join(s.home, ".gemini", "settings.json"),
				`{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"disableAutoUpdate":true},`+
					`"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`)
		},
		write: func(path, content string) realclient.Step {
			return realclient.Step{Tool: "write_file", Input: map[string]any{"file_path": path, "content": content}}
		},
		shell: func(command string) realclient.Step {
			return realclient.Step{Tool: "run_shell_command", Input: map[string]any{"command": command, "description": "certify"}}
		},
		authority: "user", shellTool: "run_shell_command", events: eventNames{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "SessionEnd"},
	},
	{
		name: "kimi", adapterID: "kimi", dir: "kimi", command: "kimi", packages: "@moonshot-ai/kimi-code",
		args: func(prompt string, again bool) []string {
			if again {
				return []string{"-c", "-p", prompt}
			}
			return []string{"-p", prompt}
		},
		env: func(*stage) []string { return nil },
		prepare: func(s *stage) error {
			return appendTo(filepath.Join(s.home, ".kimi-code", "config.toml"), `default_model = "fake"
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
		authority: "user", shellTool: "Bash", events: common,
	},
	{
		name: "grok", adapterID: "grok", dir: "grok", command: "grok", packages: "@xai-official/grok",
		args: func(prompt string, again bool) []string {
			args := []string{"-p", prompt, "--always-approve"}
			if again {
				args = append(args, "--continue")
			}
			return args
		},
		env: func(*stage) []string { return []string{"XAI_API_KEY=dummy"} },
		prepare: func(s *stage) error {
			return appendTo(filepath.Join(s.home, ".grok", "config.toml"), `models = { default = "fake" }
model.fake = { model = "fake-model", base_url = `+quoted(s.model.URL+"/v1")+`, api_key = "dummy", api_backend = "messages", context_window = 128000 }
`)
		},
		write: func(path, content string) realclient.Step {
			return realclient.Step{Tool: "write", Input: map[string]any{"file_path": path, "content": content}}
		},
		shell: func(command string) realclient.Step {
			return realclient.Step{Tool: "run_terminal_command", Input: map[string]any{"command": command, "description": "certify"}}
		},
		authority: "user", shellTool: "run_terminal_command", events: common,
	},
}

// codexConfig goes before the tables that the installation wrote.
func codexConfig(s *stage) string {
	return `model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_providers.fake = { name = "fake", base_url = ` + quoted(s.model.URL+"/v1") + `, wire_api = "responses", env_key = "FAKE_KEY" }
projects = { ` + quoted(s.project) + ` = { trust_level = "trusted" } }
analytics = { enabled = false }
`
}

// quoted writes a JSON string, which is a TOML string too for what stands in paths.
func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(data)
}

// appendTo puts text before what a file holds.
func appendTo(path, text string) error {
	before, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte(text), before...), 0o600)
}
