package install

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapters/claudecode/hook"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// New gives the installer of Claude Code.
func New() (*installkit.Installer, error) {
	return installkit.New(hook.ID, "Claude Code", client{})
}

// client implements installkit.Client, Lister and Keeper.
type client struct{}

// Detect implements installkit.Client. CLAUDE_CONFIG_DIR moves the configuration.
func (client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{
		Command: "claude", RootVariable: "CLAUDE_CONFIG_DIR", RootDefault: ".claude",
		Packages:    []string{"@anthropic-ai/claude-code", "@anthropic-ai/claude-code-linux-x64", "@anthropic-ai/claude-code-linux-arm64", "@anthropic-ai/claude-code-darwin-arm64", "@anthropic-ai/claude-code-darwin-x64", "@anthropic-ai/claude-code-win32-x64"},
		VersionArgs: []string{"--version"},
	})
}

// inUse is the directory that the client keeps beside a plugin's files while sessions run them; each of
// them has a file there that is called like its process id.
const inUse = ".in_use"

// InUse implements installkit.Keeper.
func (client) InUse(path string) string {
	for dir := filepath.Dir(path); strings.Contains(dir, pluginName); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(filepath.Join(dir, inUse))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if pid, err := strconv.Atoi(e.Name()); err == nil && alive(pid) {
				return "Claude Code, process " + strconv.Itoa(pid) + ", is using it; uninstall again after it has ended"
			}
		}
	}
	return ""
}

// listed is one entry of "claude plugin list --json".
type listed struct {
	id      string
	enabled bool
	from    string
	errors  []string
}

var listedObject = &strictjson.Object[listed]{
	Name: "plugin", Open: true,
	Members: func() []strictjson.Member[listed] {
		return []strictjson.Member[listed]{
			strictjson.Field("id", "", func(l *listed) *string { return &l.id }, strictjson.Text(1000)),
			strictjson.Optional("enabled", "", func(l *listed) *bool { return &l.enabled }, strictjson.Bool()),
			strictjson.Optional("readFromFolder", "", func(l *listed) *string { return &l.from }, strictjson.Text(4096)),
			strictjson.Optional("errors", "", func(l *listed) *[]string { return &l.errors }, strictjson.List(strictjson.Text(4096), 0, 100)),
		}
	},
}

// listing is the array of entries: strictjson reads objects.
type listing struct{ plugins []listed }

var listingObject = &strictjson.Object[listing]{
	Name: "list",
	Members: func() []strictjson.Member[listing] {
		return []strictjson.Member[listing]{
			strictjson.Field("plugins", "", func(l *listing) *[]listed { return &l.plugins }, strictjson.List(strictjson.Nested(listedObject), 0, 1000)),
		}
	},
}

// List implements installkit.Lister. The client says whether it will load the plugin; it loads all hooks
// of a plugin or none.
func (client) List(ctx context.Context, m adapter.Machine, d adapter.Detection) (installkit.Listing, error) {
	out, err := m.Run(ctx, adapter.ClientCommand{
		Path: d.Command, Args: []string{"plugin", "list", "--json"},
		Env: []string{"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
	})
	if err != nil {
		return installkit.Listing{}, err
	}
	answer, err := listingObject.Decode(slices.Concat([]byte(`{"plugins":`), out, []byte(`}`)))
	if err != nil {
		return installkit.Listing{}, protocol.DataError("", "claude plugin list answered something else than a list of plugins").Because(err)
	}
	i := slices.IndexFunc(answer.plugins, func(l listed) bool { return l.id == pluginID })
	if i < 0 {
		return missing("Claude Code does not list the plugin " + pluginID), nil
	}
	switch p := answer.plugins[i]; {
	case len(p.errors) > 0:
		return missing("Claude Code cannot load the plugin: " + strings.Join(p.errors, "; ")), nil
	case !p.enabled:
		l := wired(adapter.Refused)
		l.Steps = []string{"enable the plugin again: claude plugin enable " + pluginID}
		return l, nil
	}
	return wired(adapter.Listed), nil
}

func wired(state adapter.WiringState) installkit.Listing {
	var l installkit.Listing
	for _, e := range events {
		l.Hooks = append(l.Hooks, adapter.Wiring{Event: e.name, State: state})
	}
	return l
}

func missing(problem string) installkit.Listing {
	l := wired(adapter.Refused)
	l.Problems = []adapter.Problem{{Text: problem, Remedy: "acc install --adapter " + hook.ID}}
	return l
}
