package command

import (
	"context"
	"runtime"
	"slices"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/self"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/build"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func versionCommand() *Definition {
	return &Definition{
		Command: argv.Command{Name: "version", Group: groupAbout, Summary: "print what this executable is"},
		Run: func(_ context.Context, inv *Invocation, _ *flags.Context) (Answer, error) {
			data, err := inv.facts()
			if err != nil {
				return Answer{}, err
			}
			return answer(view.Version, data, func(u *ui.UI) {
				u.Print("acc %s (%s, %s), records %d, stores %d", data.Version, data.Platform, data.GoVersion, data.SchemaVersion, data.StoreVersion)
			}), nil
		},
	}
}

// facts say what this executable is, with the adapters that were assembled into it.
func (inv *Invocation) facts() (view.VersionData, error) {
	data := buildFacts()
	if inv.Hooks == nil {
		return data, nil
	}
	adapters, err := inv.Hooks()
	if err != nil {
		return view.VersionData{}, err
	}
	for _, a := range adapters {
		data.Adapters = append(data.Adapters, a.ID())
	}
	slices.Sort(data.Adapters)
	return data, nil
}

// buildFacts says what this executable is, as far as it needs no adapters.
func buildFacts() view.VersionData {
	return view.VersionData{
		Version: self.Version(), GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		SchemaVersion: protocol.SchemaVersion, StoreVersion: protocol.StoreVersion, UpdateProtocol: release.UpdateProtocol,
		BuildID: build.ID(), Commit: self.Commit(),
	}
}
