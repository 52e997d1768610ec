package command

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	flags "github.com/urfave/cli/v2"
)

func versionCommand() *Definition {
	return &Definition{
		Command: argv.Command{Name: "version", Group: groupAbout, Summary: "print what this executable is"},
		Run: func(context.Context, *Invocation, *flags.Context) (Answer, error) {
			data := buildFacts()
			return answer(view.Version, data, func(u *ui.UI) {
				u.Print("acc %s (%s, %s), records %d, stores %d", data.Version, data.Platform, data.GoVersion, data.SchemaVersion, data.StoreVersion)
			}), nil
		},
	}
}

// buildFacts says what the linker recorded. A build from a checkout has no version.
func buildFacts() view.VersionData {
	data := view.VersionData{
		Version: "devel", GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		SchemaVersion: protocol.SchemaVersion, StoreVersion: protocol.StoreVersion,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return data
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		data.Version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			data.Commit = s.Value
		}
	}
	return data
}
