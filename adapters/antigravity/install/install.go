package install

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
	"github.com/acc-control-plane/acc/adapters/antigravity/hook"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// New gives the installer of Antigravity CLI.
func New() (*installkit.Installer, error) {
	return installkit.New(hook.ID, "Antigravity CLI", client{})
}

// client implements installkit.Client and Lister.
type client struct{}

// Detect implements installkit.Client. Its directory is that of Gemini CLI too.
func (client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{
		Command: "agy", RootDefault: ".gemini", Evidence: []string{"antigravity-cli", "config/hooks.json"},
		VersionArgs: []string{"--version"},
	})
}

// Names in the client's files. Top-level keys of its hooks file are names of hooks.
const (
	hookName   = "acc"
	pluginName = "agents-can-communicate"
	timeout    = 10 // seconds; the client wants a whole number
)

// events are flat lists of handlers. PreToolUse is not among them: a client that asks there takes
// anything but the right answer for a refusal.
var events = []string{"SessionStart", "PreInvocation", "Stop"}

// Wants implements installkit.Client.
func (client) Wants(m adapter.Machine, d adapter.Detection) (installkit.Wants, error) {
	mark, err := installkit.Mark(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	sections, err := relaySections(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	text, err := skill.Text(m, sections...)
	if err != nil {
		return installkit.Wants{}, err
	}
	manifest, err := installkit.Indent(`{"name":` + installkit.Quote(pluginName) + `,"version":` + installkit.Quote(m.Version) +
		`,"description":"See, tell and ask the other AI sessions that work in the same project"}`)
	if err != nil {
		return installkit.Wants{}, err
	}
	hooks, err := hooksEntry(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	plugin := filepath.Join(d.Root, "config", "plugins", pluginName)
	w := installkit.Wants{
		Mark: mark,
		Files: []installkit.File{
			{Path: filepath.Join(plugin, "plugin.json"), Data: manifest},
			{Path: filepath.Join(plugin, "skills", skill.Name, skill.File), Data: text},
		},
		Edits: []installkit.UserFile{{
			Path: filepath.Join(d.Root, "config", "hooks.json"), Format: installkit.JSON, NoMark: true,
			Edits: []installkit.Edit{hooks},
		}},
		Steps: []string{"start Antigravity again, and open a workspace in it: a conversation without one enters no room"},
	}
	err = allow(m, d, &w)
	return w, err
}

// allowed is the rule that lets a model run a command.
func allowed(f permissionFile, command string) installkit.Edit {
	return installkit.Edit{
		Kind: installkit.Element, Path: f.path, Value: installkit.Quote("command(" + command + ")"), Ours: true,
		Label: strings.Join(f.path, ".") + ": " + command,
	}
}

// relay is the program that an agent starts so that its conversation can be woken.
const relay = "acc-antigravity-relay"

// relaySections tells the agent of the relay, where there is one.
func relaySections(m adapter.Machine) ([]string, error) {
	if m.GOOS == "windows" {
		return nil, nil
	}
	command, err := installkit.Quoted(m, installkit.Executable(m, relay))
	if err != nil {
		return nil, err
	}
	return []string{`## Being woken while you are idle (experimental)

Nothing can reach you between turns unless a relay runs in your own shell. Start it once, when you have your
` + "`ACC CLI (append):`" + ` line, in the foreground; it returns at once:

    ` + command + ` OWNER

It lets other sessions of the same person wake this conversation with a line that begins with ` + "`[acc wake]`" + `, hands your
credential for that to nobody, and ends with Antigravity. If it says that it was not started, leave it at that: messages
arrive with your next turn. After a new ` + "`ACC CLI (append):`" + ` line with another generation, start it again.`}, nil
}

// hooksEntry is acc's own name in the hooks file. The payload does not say its event, so the command does.
func hooksEntry(m adapter.Machine) (installkit.Edit, error) {
	var lists []string
	for _, name := range events {
		command, err := installkit.HookCommand(m, hook.ID, name)
		if err != nil {
			return installkit.Edit{}, err
		}
		lists = append(lists, installkit.Quote(name)+`:[{"type":"command","command":`+installkit.Quote(command)+`,"timeout":`+strconv.Itoa(timeout)+`}]`)
	}
	return installkit.Edit{
		Kind: installkit.Member, Path: []string{hookName}, Value: `{` + strings.Join(lists, ",") + `}`, Ours: true,
		Events: events, Label: "the hooks called " + hookName,
	}, nil
}

// permissionFile is a file in which a client of this vendor keeps what the user allowed for good.
type permissionFile struct {
	name string
	path []string
}

var permissionFiles = []permissionFile{
	{"antigravity-cli/settings.json", []string{"permissions", "allow"}},
	{"config/config.json", []string{"userSettings", "globalPermissionGrants", "allow"}},
}

// allow adds a rule to the permission files that are there. The client compares a rule with the first
// word as the model wrote it, and a quoted word matches none: then the person is told.
func allow(m adapter.Machine, d adapter.Detection, w *installkit.Wants) error {
	command, err := installkit.CLICommand(m)
	if err != nil {
		return err
	}
	if command != installkit.CLIPath(m) {
		w.Notes = append(w.Notes, "Antigravity will ask before each acc command, because the path "+installkit.CLIPath(m)+" has to be quoted")
		return nil
	}
	for _, f := range permissionFiles {
		path := filepath.Join(d.Root, filepath.FromSlash(f.name))
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		rules := []installkit.Edit{allowed(f, command)}
		if m.GOOS != "windows" {
			rule := allowed(f, installkit.Executable(m, relay))
			rule.Name, rule.Ours = relay, false // without a record, one value of a list can be told to be acc's
			rules = append(rules, rule)
		}
		w.Edits = append(w.Edits, installkit.UserFile{Path: path, Format: installkit.JSONC, Edits: rules})
	}
	return nil
}

// inspection is the part of the client's answer to /hooks that tells of hooks.
type inspection struct{ hooks []group }

type group struct{ actions []action }

type action struct{ command string }

// The client wraps it twice: {"command":{"data":{"hooks":[...]}}}.
type (
	command struct{ data inspection }
	answer  struct{ command command }
)

var answerObject = &strictjson.Object[answer]{
	Name: "answer", Open: true,
	Members: func() []strictjson.Member[answer] {
		return []strictjson.Member[answer]{
			strictjson.Field("command", "", func(a *answer) *command { return &a.command }, strictjson.Nested(&strictjson.Object[command]{
				Name: "command", Open: true,
				Members: func() []strictjson.Member[command] {
					return []strictjson.Member[command]{
						strictjson.Field("data", "", func(c *command) *inspection { return &c.data }, strictjson.Nested(&strictjson.Object[inspection]{
							Name: "data", Open: true,
							Members: func() []strictjson.Member[inspection] {
								return []strictjson.Member[inspection]{
									strictjson.Field("hooks", "", func(i *inspection) *[]group { return &i.hooks }, strictjson.List(strictjson.Nested(groupObject), 0, 10_000)),
								}
							},
						})),
					}
				},
			})),
		}
	},
}

var groupObject = &strictjson.Object[group]{
	Name: "hook", Open: true,
	Members: func() []strictjson.Member[group] {
		return []strictjson.Member[group]{
			strictjson.Optional("actions", "", func(g *group) *[]action { return &g.actions }, strictjson.List(strictjson.Nested(&strictjson.Object[action]{
				Name: "action", Open: true,
				Members: func() []strictjson.Member[action] {
					return []strictjson.Member[action]{
						strictjson.Optional("command", "", func(a *action) *string { return &a.command }, strictjson.Text(1<<16)),
					}
				},
			}), 0, 10_000)),
		}
	},
}

// List implements installkit.Lister. /hooks reads the effective list back and costs no turn.
func (client) List(ctx context.Context, m adapter.Machine, d adapter.Detection) (installkit.Listing, error) {
	out, err := m.Run(ctx, adapter.ClientCommand{Path: d.Command, Args: []string{"-p", "/hooks", "--output-format", "json"}})
	if err != nil {
		return installkit.Listing{}, err
	}
	a, err := answerObject.Decode(out)
	if err != nil {
		return installkit.Listing{}, protocol.DataError("", "agy answered /hooks with something else than a list of hooks").Because(err)
	}
	var l installkit.Listing
	for _, name := range events {
		want, err := installkit.HookCommand(m, hook.ID, name)
		if err != nil {
			return installkit.Listing{}, err
		}
		w := adapter.Wiring{Event: name, State: adapter.Unwritten, Note: "Antigravity does not list it"}
		for _, g := range a.command.data.hooks {
			for _, handler := range g.actions {
				if handler.command == want {
					w.State, w.Note = adapter.Listed, ""
				}
			}
		}
		l.Hooks = append(l.Hooks, w)
	}
	return l, nil
}
