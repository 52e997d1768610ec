package live

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// reception is what the client does with a line that reaches it.
type reception int

const (
	takes   reception = iota
	holds             // until a person approves
	refuses           // drops it without a word
)

// settings are the members of the client's settings that decide it.
type settings struct{ Inbound, Permissions jsontext.Value }

const maxSettings = 1 << 20

var settingsFile = &strictjson.Object[settings]{
	Name: "settings", Open: true, MaxBytes: maxSettings,
	Members: func() []strictjson.Member[settings] {
		return []strictjson.Member[settings]{
			strictjson.Optional("crossSessionInbound", "", func(s *settings) *jsontext.Value { return &s.Inbound }, strictjson.Raw()),
			strictjson.Optional("permissions", "", func(s *settings) *jsontext.Value { return &s.Permissions }, strictjson.Raw()),
		}
	},
}

// bypass is the permission mode in which the client holds what nobody vouches for.
const bypass = "bypassPermissions"

// reception tells what the session will do with a wake, by the client's rules: an administrator decides
// alone; else the user does, and a project can only be stricter. An unknown word holds. Without any, only
// a session that asks nobody for permission holds. Neither is a promise: a person can change the mode at
// any time.
func (b inbox) reception(e endpoint, entry registryEntry) reception {
	files := b.settings(e.Config, entry.Cwd)
	user := inbound(files.user)
	chosen := inbound(files.managed)
	if chosen == "" {
		chosen = user
		for _, stricter := range []string{inbound(files.local), inbound(files.project)} {
			if stricter != "" && strictness(stricter) > strictness(chosen) {
				chosen = stricter
			}
		}
	}
	switch {
	case chosen == "accept":
		return takes
	case chosen == "refuse":
		return refuses
	case chosen != "" || e.Mode == bypass:
		return holds
	}
	return takes
}

func strictness(inbound string) int {
	switch inbound {
	case "accept":
		return 0
	case "":
		return 1
	case "refuse":
		return 3
	}
	return 2
}

// inbound is the word of one file; a value that is no word counts as an unknown one.
func inbound(s settings) string {
	if len(s.Inbound) == 0 {
		return ""
	}
	if word := hookkit.Word(s.Inbound); word != "" {
		return word
	}
	return "hold"
}

// firstMode tells the permission mode of a session that has had no prompt yet: the client's arguments,
// then its settings.
func (b inbox) firstMode(config string, entry registryEntry) string {
	if entry.visible() {
		arguments := launchArguments(entry.PID)
		for i, arg := range arguments {
			switch {
			case arg == "--dangerously-skip-permissions":
				return bypass
			case arg == "--permission-mode" && i+1 < len(arguments):
				return clipped(arguments[i+1])
			case strings.HasPrefix(arg, "--permission-mode="):
				return clipped(strings.TrimPrefix(arg, "--permission-mode="))
			}
		}
	}
	files := b.settings(config, entry.Cwd)
	for _, s := range []settings{files.managed, files.local, files.project, files.user} {
		if mode, err := hookkit.StringMember(s.Permissions, "defaultMode"); err == nil && mode != "" {
			return clipped(mode)
		}
	}
	return ""
}

// clipped keeps a word from outside to what a record takes.
func clipped(word string) string {
	if len(word) > maxWord || strings.ContainsFunc(word, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		return ""
	}
	return word
}

// settingsFiles are what the client reads, in its order of precedence.
type settingsFiles struct{ managed, local, project, user settings }

func (b inbox) settings(config, cwd string) settingsFiles {
	read := func(path ...string) settings {
		if path[0] == "" {
			return settings{}
		}
		name := filepath.Join(path...)
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
			return settings{}
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return settings{}
		}
		s, err := settingsFile.Decode(data)
		if err != nil {
			return settings{}
		}
		return s
	}
	return settingsFiles{
		managed: read(b.managed), local: read(cwd, ".claude", "settings.local.json"),
		project: read(cwd, ".claude", "settings.json"), user: read(config, "settings.json"),
	}
}

// managedSettings is where an administrator's settings lie.
func managedSettings() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	}
	return "/etc/claude-code/managed-settings.json"
}
