// Package install writes acc's hooks into the settings of the Echo client, and the skill beside them. It
// is apart from package hook because acc-hook must not link what edits files.
package install

import (
	"context"
	"path/filepath"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
	"github.com/acc-control-plane/acc/examples/adapter-echo/hook"
)

// New gives the installer of the Echo client.
func New() (*installkit.Installer, error) { return installkit.New(hook.ID, "Echo", client{}) }

// client implements installkit.Client.
type client struct{}

// events are the client's names of the events that acc wants to hear of.
var events = []string{"start", "prompt", "tool", "result", "stop", "end"}

// Detect implements installkit.Client. ECHO_HOME moves the settings.
func (client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{
		Command: "echo-client", RootVariable: "ECHO_HOME", RootDefault: ".echo", VersionArgs: []string{"-version"},
	})
}

// Wants implements installkit.Client: one more command for each event, behind those of the user.
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
	file := installkit.UserFile{Path: filepath.Join(d.Root, "settings.json"), Format: installkit.JSON, NoMark: true}
	for _, event := range events {
		file.Edits = append(file.Edits, installkit.Edit{
			Kind: installkit.Element, Path: []string{"hooks", event}, Value: installkit.Quote(command), Ours: true,
			Events: []string{event}, Label: "a hook for " + event,
		})
	}
	return installkit.Wants{
		Mark:  mark,
		Files: []installkit.File{{Path: filepath.Join(d.Root, "skills", skill.Name, skill.File), Data: text}},
		Edits: []installkit.UserFile{file},
		Steps: []string{"start Echo again; sessions that are open keep the hooks they began with"},
	}, nil
}
