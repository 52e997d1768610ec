package install

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
	"github.com/acc-control-plane/acc/adapters/claudecode/hook"
)

// Names in the client's registries.
const (
	marketplace = "acc-local"
	pluginName  = "agents-can-communicate"
	pluginID    = pluginName + "@" + marketplace
)

// event is a hook that the plugin declares. Timeouts are seconds: far more than acc takes, so that a
// slow disk costs no turn, and far less than the client's own ten minutes.
type event struct {
	name    string
	matcher string
	timeout int
}

// events are the hooks in the order of a session. Without an explicit timeout the client ends a
// SessionEnd hook after less than two seconds.
var events = []event{
	{"SessionStart", "", 10},
	{"UserPromptSubmit", "", 10},
	{"PreToolUse", "Write|Edit|MultiEdit|NotebookEdit|Bash", 10},
	{"PostToolUse", "", 10},
	{"Stop", "", 10},
	{"SessionEnd", "", 5},
}

// Wants implements installkit.Client.
func (client) Wants(m adapter.Machine, d adapter.Detection) (installkit.Wants, error) {
	mark, err := installkit.Mark(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	own, err := plugin(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	market := filepath.Join(d.Root, "plugins", "marketplaces", marketplace)
	cache := filepath.Join(d.Root, "plugins", "cache", marketplace, pluginName, m.Version)
	catalogue, err := installkit.Indent(`{"name":` + installkit.Quote(marketplace) + `,"owner":{"name":"acc"},"plugins":[{"name":` + installkit.Quote(pluginName) +
		`,"source":` + installkit.Quote("./"+pluginName) + `,"description":` + installkit.Quote(description) + `,"version":` + installkit.Quote(m.Version) + `}]}`)
	if err != nil {
		return installkit.Wants{}, err
	}
	w := installkit.Wants{
		Mark: mark, Markers: []string{inUse, ".orphaned_at"},
		Files: []installkit.File{{Path: filepath.Join(market, ".claude-plugin", "marketplace.json"), Data: catalogue}},
		Steps: []string{"start Claude Code again, or run /reload-plugins in sessions that are open"},
	}
	for _, dir := range []string{filepath.Join(market, pluginName), cache} {
		for _, f := range own {
			f.Path = filepath.Join(dir, f.Path)
			f.Copy = dir == cache // the client runs the hooks of a marketplace in a directory from there
			w.Files = append(w.Files, f)
		}
	}
	w.Edits = registries(m, d.Root, market, cache)
	line, err := statusLine(m)
	settings := &w.Edits[len(w.Edits)-1]
	settings.Edits = append(settings.Edits, line)
	return w, err
}

const description = "See, tell and ask the other AI sessions that work in the same project"

// plugin gives the plugin's files by their path inside it.
func plugin(m adapter.Machine) ([]installkit.File, error) {
	text, err := skill.Text(m)
	if err != nil {
		return nil, err
	}
	hooks, err := hooksFile(m)
	if err != nil {
		return nil, err
	}
	hooks.Path = filepath.Join("hooks", "hooks.json")
	manifest, err := installkit.Indent(`{"name":` + installkit.Quote(pluginName) + `,"version":` + installkit.Quote(m.Version) + `,"description":` + installkit.Quote(description) + `}`)
	if err != nil {
		return nil, err
	}
	return []installkit.File{
		{Path: filepath.Join(".claude-plugin", "plugin.json"), Data: manifest},
		hooks,
		{Path: filepath.Join("skills", skill.Name, skill.File), Data: text},
	}, nil
}

// hooksFile is the plugin's hooks.json.
func hooksFile(m adapter.Machine) (installkit.File, error) {
	var f installkit.File
	var groups []string
	for _, e := range events {
		handler, err := handler(m, e)
		if err != nil {
			return f, err
		}
		group := `{"hooks":[` + handler + `]}`
		if e.matcher != "" {
			group = `{"matcher":` + installkit.Quote(e.matcher) + `,"hooks":[` + handler + `]}`
		}
		groups = append(groups, installkit.Quote(e.name)+`:[`+group+`]`)
		f.Events = append(f.Events, e.name)
	}
	var err error
	f.Data, err = installkit.Indent(`{"hooks":{` + strings.Join(groups, ",") + `}}`)
	return f, err
}

// handler is one hook. On Windows the client starts the executable itself, because its shell there may
// be any.
func handler(m adapter.Machine, e event) (string, error) {
	tail := `,"timeout":` + strconv.Itoa(e.timeout) + `}`
	if m.GOOS == "windows" {
		return `{"type":"command","command":` + installkit.Quote(installkit.HookPath(m)) + `,"args":[` + installkit.Quote(hook.ID) + `]` + tail, nil
	}
	command, err := installkit.HookCommand(m, hook.ID, "")
	if err != nil {
		return "", err
	}
	return `{"type":"command","command":` + installkit.Quote(command) + tail, nil
}

// statusLine shows acc-indicator. The client runs it after each turn, and at the interval, in seconds, because messages
// arrive between turns too; versions that know no interval pass it over.
func statusLine(m adapter.Machine) (installkit.Edit, error) {
	command, err := installkit.IndicatorCommand(m, hook.ID)
	return installkit.Edit{
		Kind: installkit.Member, Path: []string{"statusLine"}, Indicator: true, Label: "statusLine: acc-indicator",
		Value: `{"type":"command","command":` + installkit.Quote(command) + `,"refreshInterval":5}`,
	}, err
}

// registries gives the entries by which the client knows marketplace and plugin.
func registries(m adapter.Machine, root, market, cache string) []installkit.UserFile {
	source := `{"source":"directory","path":` + installkit.Quote(market) + `}`
	now := installkit.Quote(m.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	times := []string{"installedAt", "lastUpdated"}
	member := func(label, value string, path ...string) installkit.Edit {
		return installkit.Edit{Kind: installkit.Member, Path: path, Value: value, Volatile: times, Ours: true, Label: label}
	}
	enabled := member("enabledPlugins: the plugin", `true`, "enabledPlugins", pluginID)
	enabled.Sticky = true // who disabled it meant it
	return []installkit.UserFile{
		{Path: filepath.Join(root, "plugins", "known_marketplaces.json"), Format: installkit.JSON, NoMark: true, Edits: []installkit.Edit{
			member("the marketplace "+marketplace, `{"source":`+source+`,"installLocation":`+installkit.Quote(market)+`,"lastUpdated":`+now+`}`, marketplace),
		}},
		{Path: filepath.Join(root, "plugins", "installed_plugins.json"), Format: installkit.JSON, NoMark: true, Edits: []installkit.Edit{
			{Kind: installkit.Member, Path: []string{"version"}, Value: `2`, Label: "the version of the registry", Default: true},
			member("the plugin "+pluginID, `[{"scope":"user","installPath":`+installkit.Quote(cache)+`,"version":`+installkit.Quote(m.Version)+
				`,"installedAt":`+now+`,"lastUpdated":`+now+`}]`, "plugins", pluginID),
		}},
		{Path: filepath.Join(root, "settings.json"), Format: installkit.JSON, Edits: []installkit.Edit{
			member("extraKnownMarketplaces: "+marketplace, `{"source":`+source+`}`, "extraKnownMarketplaces", marketplace),
			enabled,
		}},
	}
}
