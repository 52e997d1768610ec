package install

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/tomledit"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
	"github.com/acc-control-plane/acc/adapters/kimi/hook"
)

// New gives the installer of Kimi Code.
func New() (*installkit.Installer, error) {
	return installkit.New(hook.ID, "Kimi Code", client{})
}

// client implements installkit.Client, Verifier and Lister.
type client struct{}

// Detect implements installkit.Client. KIMI_CODE_HOME moves the configuration.
func (client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{
		Command: "kimi", RootVariable: "KIMI_CODE_HOME", RootDefault: ".kimi-code",
		Packages: []string{"@moonshot-ai/kimi-code"}, VersionArgs: []string{"--version"},
	})
}

// event is a hook of acc. The client accepts these keys and no others; timeouts are seconds.
type event struct {
	name    string
	matcher string
	timeout int
}

// events: the matcher is an unanchored regular expression. Only a prompt's answer reaches the model, and
// only SessionHeartbeat tells that an idle session lives; after PostCompact the model has forgotten whose it is.
var events = []event{
	{"SessionStart", "", 10},
	{"UserPromptSubmit", "", 10},
	{"PreToolUse", "^(Write|Edit|Bash)$", 10},
	{"Stop", "", 10},
	{"SessionHeartbeat", "", 10},
	{"PostCompact", "", 10},
	{"SessionEnd", "", 5},
}

// The lines around acc's hooks.
const (
	begin = "# >>> acc: written by acc install, removed by acc uninstall"
	end   = "# <<< acc"
)

// Wants implements installkit.Client.
func (client) Wants(m adapter.Machine, d adapter.Detection) (installkit.Wants, error) {
	mark, err := installkit.Mark(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	text, err := skill.Text(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	command, err := installkit.HookCommand(m, hook.ID, "")
	if err != nil {
		return installkit.Wants{}, err
	}
	block := installkit.Edit{Kind: installkit.Block, Path: []string{begin, end}, Ours: true, Label: "hooks for " + strconv.Itoa(len(events)) + " events"}
	var lines strings.Builder
	for _, e := range events {
		lines.WriteString("[[hooks]]\nevent = " + tomledit.Quote(e.name) + "\n")
		if e.matcher != "" {
			lines.WriteString("matcher = " + tomledit.Quote(e.matcher) + "\n")
		}
		lines.WriteString("command = " + tomledit.Quote(command) + "\ntimeout = " + strconv.Itoa(e.timeout) + "\n")
		block.Events = append(block.Events, e.name)
	}
	block.Value = lines.String()
	return installkit.Wants{
		Mark:  mark,
		Files: []installkit.File{{Path: filepath.Join(d.Root, "skills", skill.Name, skill.File), Data: text}},
		Edits: []installkit.UserFile{{Path: filepath.Join(d.Root, "config.toml"), Format: installkit.TOML, NoMark: true, Edits: []installkit.Edit{block}}},
		Steps: []string{"start Kimi Code again; sessions that are open keep the hooks they began with"},
	}, nil
}

// Verify implements installkit.Verifier.
func (client) Verify(ctx context.Context, m adapter.Machine, d adapter.Detection) error {
	_, err := m.Run(ctx, adapter.ClientCommand{Path: d.Command, Args: []string{"doctor"}})
	return err
}

// List implements installkit.Lister. The client lists no hooks, but where its own doctor complains it
// runs none.
func (c client) List(ctx context.Context, m adapter.Machine, d adapter.Detection) (installkit.Listing, error) {
	err := c.Verify(ctx, m, d)
	if err == nil || ctx.Err() != nil {
		return installkit.Listing{}, ctx.Err()
	}
	l := installkit.Listing{Problems: []adapter.Problem{{
		Text:   "Kimi Code refuses its configuration, so it runs no hooks at all: " + strings.Join(strings.Fields(err.Error()), " "),
		Remedy: "kimi doctor",
	}}}
	for _, e := range events {
		l.Hooks = append(l.Hooks, adapter.Wiring{Event: e.name, State: adapter.Refused, Note: "the configuration is invalid"})
	}
	return l, nil
}
