//go:build unix

package realclient

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Claude is a real Claude Code in a terminal, with a home of its own and acc in its hooks.
type Claude struct {
	*Terminal
	config string
}

// ClaudeSetup is what a Claude Code is started with. All paths are absolute.
type ClaudeSetup struct {
	Command     string // the client's executable
	Root        string // an empty directory with a short path: sockets lie below
	Project     string // where it works
	Hook        string // acc-hook
	Bin         string // directory of acc, on the client's PATH
	Data        string // acc's data home
	Participant string
	Model       string // URL of the model
	Settings    map[string]any
	Installed   bool // settings.json is as acc install left it, and its plugin has the hooks
	Args        []string
}

// hookEvents are the events that an installation of acc wires.
var hookEvents = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}

// StartClaude starts the client; everything that it would ask at its first start is answered before.
func StartClaude(ctx context.Context, s ClaudeSetup) (*Claude, error) {
	home, run := filepath.Join(s.Root, "home"), filepath.Join(s.Root, "run")
	config := filepath.Join(home, ".claude")
	for _, dir := range []string{config, run} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	settings := map[string]any{"permissions": map[string]any{"defaultMode": "default", "allow": []string{"Bash"}}}
	hooks := map[string]any{}
	for _, event := range hookEvents {
		command := map[string]any{"type": "command", "command": quoteAll([]string{s.Hook, "claude_code"})}
		hooks[event] = []any{map[string]any{"hooks": []any{command}}}
	}
	settings["hooks"] = hooks
	for name, value := range s.Settings {
		settings[name] = value
	}
	state := map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "autoUpdates": false, "hasSeenAutoDefaultNudge": true,
		"customApiKeyResponses": map[string]any{"approved": []string{"dummy"}, "rejected": []string{}},
		"projects": map[string]any{s.Project: map[string]any{
			"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "projectOnboardingSeenCount": 4,
		}},
	}
	files := map[string]any{filepath.Join(config, "settings.json"): settings, filepath.Join(home, ".claude.json"): state}
	if s.Installed {
		delete(files, filepath.Join(config, "settings.json"))
	}
	for path, content := range files {
		data, err := json.MarshalIndent(content, "", " ")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	env := []string{
		"PATH=" + s.Bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash",
		"XDG_RUNTIME_DIR=" + run, "IS_SANDBOX=1", "ANTHROPIC_BASE_URL=" + s.Model, "ANTHROPIC_API_KEY=dummy",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"ACC_DATA_HOME=" + s.Data, "ACC_PARTICIPANT=" + s.Participant,
	}
	t, err := OpenTerminal(ctx, filepath.Join(s.Root, "tmux"), s.Project, env, append([]string{s.Command}, s.Args...)...)
	if err != nil {
		return nil, err
	}
	return &Claude{Terminal: t, config: config}, nil
}

// ClaudeEntry is what the client says of itself in its registry.
type ClaudeEntry struct {
	SessionID  string `json:"sessionId"`
	Status     string `json:"status"`
	WaitingFor string `json:"waitingFor"`
	Socket     string `json:"messagingSocketPath"`
}

// EntryPath is the file of the registry that speaks of this client.
func (c *Claude) EntryPath() string {
	return filepath.Join(c.config, "sessions", strconv.Itoa(c.PID())+".json")
}

// Entry reads it.
func (c *Claude) Entry() (ClaudeEntry, error) {
	var e ClaudeEntry
	data, err := os.ReadFile(c.EntryPath())
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err != nil {
		return e, fmt.Errorf("the client's registry: %w", err)
	}
	return e, nil
}
