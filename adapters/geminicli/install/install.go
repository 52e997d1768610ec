package install

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
	"github.com/acc-control-plane/acc/adapters/geminicli/hook"
)

// New gives the installer of Gemini CLI.
func New() (*installkit.Installer, error) {
	return installkit.New(hook.ID, "Gemini CLI", client{})
}

// client implements installkit.Client and Lister.
type client struct{}

// Detect implements installkit.Client. The directory alone proves nothing: other clients of the vendor
// use it too.
func (client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{
		Command: "gemini", RootDefault: ".gemini", Evidence: []string{"settings.json", "extensions"},
		Packages: []string{"@google/gemini-cli"}, VersionArgs: []string{"--version"},
	})
}

// extension is the name of the directory and of the extension in it.
const extension = "agents-can-communicate"

// event is a hook of the extension. Timeouts are milliseconds in this client.
type event struct {
	name    string
	matcher string
	timeout int
}

// events: a matcher on a tool event is an unanchored regular expression on the tool's name; on a
// lifecycle event it would have to be the exact source, so there is none.
var events = [...]event{
	{"SessionStart", "", 10_000},
	{"BeforeAgent", "", 10_000},
	{"BeforeTool", "^(write_file|replace|run_shell_command)$", 10_000},
	{"AfterTool", "", 10_000},
	{"AfterAgent", "", 10_000},
	{"SessionEnd", "", 5_000},
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
	manifest, err := installkit.Indent(`{"name":` + installkit.Quote(extension) + `,"version":` + installkit.Quote(m.Version) +
		`,"description":"See, tell and ask the other AI sessions that work in the same project"}`)
	if err != nil {
		return installkit.Wants{}, err
	}
	hooks, err := hooksFile(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	dir := filepath.Join(d.Root, "extensions", extension)
	hooks.Path = filepath.Join(dir, "hooks", "hooks.json")
	return installkit.Wants{
		Mark: mark,
		Files: []installkit.File{
			{Path: filepath.Join(dir, "gemini-extension.json"), Data: manifest},
			hooks,
			{Path: filepath.Join(dir, "skills", skill.Name, skill.File), Data: text},
		},
		Steps: []string{"start Gemini CLI again; sessions that are open do not load new extensions"},
	}, nil
}

// hooksFile is the extension's hooks.json. The client tells hooks apart by name.
func hooksFile(m adapter.Machine) (installkit.File, error) {
	var f installkit.File
	command, err := installkit.HookCommand(m, hook.ID, "")
	if err != nil {
		return f, err
	}
	var groups []string
	for _, e := range events {
		group := `{"hooks":[{"name":` + installkit.Quote("acc-"+e.name) + `,"type":"command","command":` + installkit.Quote(command) +
			`,"timeout":` + strconv.Itoa(e.timeout) + `}]}`
		if e.matcher != "" {
			group = `{"matcher":` + installkit.Quote(e.matcher) + `,` + group[1:]
		}
		groups = append(groups, installkit.Quote(e.name)+`:[`+group+`]`)
		f.Events = append(f.Events, e.name)
	}
	f.Data, err = installkit.Indent(`{"hooks":{` + strings.Join(groups, ",") + `}}`)
	return f, err
}
