//go:build unix

package realclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Codex is a real Codex in a terminal, with a home of its own and acc in its hooks, which are trusted.
type Codex struct {
	*Terminal
	command string
	env     []string
	home    string
}

// CodexSetup is what a Codex is started with. All paths are absolute.
type CodexSetup struct {
	Command string // the client's executable
	Root    string // an empty directory
	Temp    string // a directory outside of the system's temporary one: the client refuses some work there
	Project string
	Hook    string // acc-hook
	Bin     string // directory of acc, on the client's PATH
	Data    string // acc's data home
	Model   string // URL of the model
	Config  string // more lines of config.toml, before its first table
	Args    []string
}

// codexEvents are the events that an installation of acc wires.
var codexEvents = []struct{ name, snake string }{
	{"SessionStart", "session_start"}, {"UserPromptSubmit", "user_prompt_submit"}, {"PreToolUse", "pre_tool_use"},
	{"PostToolUse", "post_tool_use"}, {"Stop", "stop"}, {"SessionEnd", "session_end"},
}

// StartCodex starts the client; everything that it would ask at its first start is answered before. That
// includes the trust in its hooks, which only the person may give outside of a test's own home.
func StartCodex(ctx context.Context, s CodexSetup) (*Codex, error) {
	home := filepath.Join(s.Root, "home")
	config := filepath.Join(home, ".codex")
	if err := os.MkdirAll(config, 0o700); err != nil {
		return nil, err
	}
	hooksFile := filepath.Join(config, "hooks.json")
	command := quoteAll([]string{s.Hook, "codex"})
	hooks, trust := map[string]any{}, ""
	for _, e := range codexEvents {
		timeout := 3
		hooks[e.name] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command, "timeout": timeout}}}}
		normal := fmt.Sprintf(`{"event_name":%q,"hooks":[{"async":false,"command":%s,"timeout":%d,"type":"command"}]}`, e.snake, mustQuote(command), timeout)
		sum := sha256.Sum256([]byte(normal))
		trust += fmt.Sprintf("[hooks.state.%s]\ntrusted_hash = \"sha256:%s\"\n", mustQuote(hooksFile+":"+e.snake+":0:0"), hex.EncodeToString(sum[:]))
	}
	data, err := json.MarshalIndent(map[string]any{"hooks": hooks}, "", " ")
	if err != nil {
		return nil, err
	}
	settings := strings.Join([]string{
		`model = "gpt-5.5"`, `model_provider = "fake"`, `approval_policy = "never"`, `check_for_update_on_startup = false`, s.Config,
		`[model_providers.fake]`, `name = "fake"`, `base_url = ` + mustQuote(s.Model+"/v1"), `wire_api = "responses"`, `env_key = "FAKE_KEY"`,
		`[projects.` + mustQuote(s.Project) + `]`, `trust_level = "trusted"`, `[analytics]`, `enabled = false`,
		`[notice.model_migrations]`, `"gpt-5.5" = "gpt-6-sol"`, `[tui]`, `screen_reader_detection_done = true`, trust,
	}, "\n")
	for path, content := range map[string]string{hooksFile: string(data), filepath.Join(config, "config.toml"): settings} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	env := []string{
		"PATH=" + s.Bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "CODEX_HOME=" + config, "TMPDIR=" + s.Temp, "TERM=xterm-256color",
		"LANG=C.UTF-8", "SHELL=/bin/bash", "FAKE_KEY=dummy", "ACC_DATA_HOME=" + s.Data,
	}
	t, err := OpenTerminal(ctx, filepath.Join(s.Root, "tmux"), s.Project, env, append([]string{s.Command}, s.Args...)...)
	if err != nil {
		return nil, err
	}
	return &Codex{Terminal: t, command: s.Command, env: env, home: config}, nil
}

// mustQuote writes a JSON string, which is a TOML string too for what stands in paths and commands.
func mustQuote(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// Close ends the terminal, and the background server of this home with the client's own command.
func (c *Codex) Close() {
	c.Terminal.Close()
	StopCodexServer(c.command, c.env, c.home)
}

// StopCodexServer ends the background server of a home of Codex, with the client's own command, and the
// process that keeps it up to date. It waits ten seconds at most.
func StopCodexServer(command string, env []string, home string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stop := exec.CommandContext(ctx, command, "app-server", "daemon", "stop")
	stop.Env = env
	_ = stop.Run()
	data, err := os.ReadFile(filepath.Join(home, "app-server-daemon", "daemon-updater.pid"))
	if err != nil {
		return
	}
	var updater struct {
		PID int `json:"pid"`
	}
	if json.Unmarshal(data, &updater) != nil {
		updater.PID, _ = strconv.Atoi(strings.TrimSpace(string(data)))
	}
	if updater.PID > 1 {
		if updater, err := os.FindProcess(updater.PID); err == nil {
			_ = updater.Signal(syscall.SIGTERM)
		}
	}
}
