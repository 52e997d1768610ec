package install

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
	"github.com/acc-control-plane/acc/adapters/grok/hook"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// New gives the installer of Grok.
func New() (*installkit.Installer, error) {
	return installkit.New(hook.ID, "Grok", client{})
}

// client implements installkit.Client and Lister.
type client struct{}

// Detect implements installkit.Client. GROK_HOME moves the configuration.
func (client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{
		Command: "grok", RootVariable: "GROK_HOME", RootDefault: ".grok",
		Packages: []string{"@xai-official/grok"}, VersionArgs: []string{"--version"},
	})
}

// event is a hook of acc's file. Timeouts are seconds; the client's own for a tool is 5.
type event struct {
	name    string
	timeout int
}

// events have no matcher: what acc tells a model reaches it after any tool, and nowhere else.
var events = []event{
	{"SessionStart", 10}, {"UserPromptSubmit", 10}, {"PreToolUse", 5}, {"PostToolUse", 10}, {"Stop", 10}, {"SessionEnd", 5},
}

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
	hooks := installkit.File{Path: filepath.Join(d.Root, "hooks", "acc.json")}
	var groups []string
	for _, e := range events {
		groups = append(groups, installkit.Quote(e.name)+`:[{"hooks":[{"type":"command","command":`+installkit.Quote(command)+
			`,"timeout":`+strconv.Itoa(e.timeout)+`}]}]`)
		hooks.Events = append(hooks.Events, e.name)
	}
	if hooks.Data, err = installkit.Indent(`{"hooks":{` + strings.Join(groups, ",") + `}}`); err != nil {
		return installkit.Wants{}, err
	}
	return installkit.Wants{
		Mark:  mark,
		Files: []installkit.File{hooks, {Path: filepath.Join(d.Root, "skills", skill.Name, skill.File), Data: text}},
		Steps: []string{"start Grok again; sessions that are open keep the hooks they began with"},
	}, nil
}

// listed is what the client says of one hook.
type listed struct{ event, target string }

type inspection struct{ hooks []listed }

// inspectionObject is the part of "grok inspect --json" that tells of hooks.
var inspectionObject = &strictjson.Object[inspection]{
	Name: "inspection", Open: true, MaxBytes: 16 << 20,
	Members: func() []strictjson.Member[inspection] {
		return []strictjson.Member[inspection]{
			strictjson.Field("hooks", "", func(i *inspection) *[]listed { return &i.hooks }, strictjson.List(strictjson.Nested(&strictjson.Object[listed]{
				Name: "hook", Open: true,
				Members: func() []strictjson.Member[listed] {
					return []strictjson.Member[listed]{
						strictjson.Field("event", "", func(l *listed) *string { return &l.event }, strictjson.Text(200)),
						strictjson.Optional("target", "", func(l *listed) *string { return &l.target }, strictjson.Nullable(strictjson.Text(1<<16))),
					}
				},
			}), 0, 10_000)),
		}
	},
}

// List implements installkit.Lister: the client tells which hooks it will run.
func (client) List(ctx context.Context, m adapter.Machine, d adapter.Detection) (installkit.Listing, error) {
	out, err := m.Run(ctx, adapter.ClientCommand{Path: d.Command, Args: []string{"inspect", "--json"}})
	if err != nil {
		return installkit.Listing{}, err
	}
	answer, err := inspectionObject.Decode(out)
	if err != nil {
		return installkit.Listing{}, protocol.DataError("", "grok inspect answered something else than its configuration").Because(err)
	}
	command, err := installkit.HookCommand(m, hook.ID, "")
	if err != nil {
		return installkit.Listing{}, err
	}
	var l installkit.Listing
	for _, e := range events {
		w := adapter.Wiring{Event: e.name, State: adapter.Unwritten, Note: "Grok does not list it"}
		for _, h := range answer.hooks {
			if h.target == command && strings.EqualFold(strings.ReplaceAll(h.event, "_", ""), e.name) {
				w.State, w.Note = adapter.Listed, ""
			}
		}
		l.Hooks = append(l.Hooks, w)
	}
	return l, nil
}
