package install

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/tomledit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
	"github.com/acc-control-plane/acc/adapters/codex/hook"
	"github.com/acc-control-plane/acc/protocol"
)

// event is a hook group of acc. The timeout is in seconds; the client clamps that of a SessionEnd to 3.
// Whatever stands here is part of what the user trusts: changing it makes Codex ask again.
type event struct {
	name    string
	matcher string
	timeout int
	injects bool // the answer reaches the model
}

var events = []event{
	{"SessionStart", "", 10, true},
	{"UserPromptSubmit", "", 10, true},
	{"PreToolUse", "Bash|apply_patch", 10, true},
	{"PostToolUse", "", 10, true},
	{"Stop", "", 10, false},
	{"SessionEnd", "", 3, false},
}

// Wants implements installkit.Client.
func (client) Wants(m adapter.Machine, d adapter.Detection) (installkit.Wants, error) {
	mark, err := installkit.Mark(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	command, err := installkit.HookCommand(m, hook.ID, "")
	if err != nil {
		return installkit.Wants{}, err
	}
	text, err := skill.Text(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	w := installkit.Wants{
		Mark:  mark,
		Files: []installkit.File{{Path: filepath.Join(d.Root, "skills", skill.Name, skill.File), Data: text}},
		Dirs:  []string{workspaces(m)}, // the client ignores a writable root that is missing
		Steps: []string{`open Codex, choose "Review hooks" and trust the ` + strconv.Itoa(len(events)) + " hooks that run " + command + "; until then Codex runs none of them"},
	}
	if m.GOOS != "windows" { // there the client matches rules against another spelling of the command
		w.Files = append(w.Files, installkit.File{Path: filepath.Join(d.Root, "rules", "agents-can-communicate.rules"), Data: rules(m)})
	}
	hooks := installkit.UserFile{Path: hooksPath(d), Format: installkit.JSON, NoMark: true}
	for _, e := range events {
		hooks.Edits = append(hooks.Edits, installkit.Edit{
			Kind: installkit.Element, Path: []string{"hooks", e.name}, Value: group(e, command), Ours: true, Events: []string{e.name},
			Label: "hooks: " + e.name,
		})
	}
	w.Edits = []installkit.UserFile{hooks}
	err = sandbox(m, d, &w)
	return w, err
}

func hooksPath(d adapter.Detection) string  { return filepath.Join(d.Root, "hooks.json") }
func configPath(d adapter.Detection) string { return filepath.Join(d.Root, "config.toml") }

// workspaces is the only directory of acc that model code may write to. Never the runtime: model code
// could replace what the client then runs outside the sandbox.
func workspaces(m adapter.Machine) string { return filepath.Join(m.Data, "workspaces") }

// group is one hook group. A context limit of 0 keeps the client from cutting what acc tells a model.
func group(e event, command string) string {
	handler := `{"type":"command","command":` + installkit.Quote(command) + `,"timeout":` + strconv.Itoa(e.timeout)
	if e.injects {
		handler += `,"additionalContextLimit":0`
	}
	text := `{"hooks":[` + handler + `}]}`
	if e.matcher != "" {
		text = `{"matcher":` + installkit.Quote(e.matcher) + `,` + text[1:]
	}
	return text
}

// sandbox adds the writable root. A user of permission profiles has no such table, so they are told.
func sandbox(m adapter.Machine, d adapter.Detection, w *installkit.Wants) error {
	now, err := userfile.Read(d.Root, configPath(d))
	if err != nil {
		return err
	}
	_, profiles, err := tomledit.Get(now.Data, "default_permissions")
	if err != nil {
		return protocol.DataError(protocol.ReasonMalformed, configPath(d)+": "+err.Error()+"; acc leaves it as it is").Because(err).
			WithHint("mend " + configPath(d) + ", then run the command again")
	}
	if profiles {
		w.Steps = append(w.Steps, "give your permission profile in "+configPath(d)+" write access to "+workspaces(m))
		return nil
	}
	w.Edits = append(w.Edits, installkit.UserFile{Path: configPath(d), Format: installkit.TOML, Edits: []installkit.Edit{{
		Kind: installkit.Element, Path: []string{"sandbox_workspace_write", "writable_roots"},
		Value: tomledit.Quote(workspaces(m)), Label: "sandbox_workspace_write.writable_roots: " + workspaces(m),
	}}})
	return nil
}

// participantCommands are what a model may run without asking each time. None of them starts a process,
// touches a file of the project or changes a client.
var participantCommands = []string{
	"status", "sync", "work", "claim", "release", "message", "request", "ask", "inbox", "reply", "ack", "receipts", "thread",
	"whoami", "finish", "help",
}

// rules is a file of Codex's execution policy.
func rules(m adapter.Machine) []byte {
	var quoted []string
	for _, c := range participantCommands {
		quoted = append(quoted, installkit.Quote(c))
	}
	return []byte("# Written by acc install. acc uninstall removes it.\n" +
		"prefix_rule(\n" +
		"    pattern = [" + installkit.Quote(installkit.CLIPath(m)) + ", [" + strings.Join(quoted, ", ") + "]],\n" +
		"    decision = \"allow\",\n" +
		"    justification = \"talks to the other AI sessions of this project and touches none of its files\",\n" +
		")\n")
}
