package command

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// TestADamagedInstallationIsExamined: whoever else is not let in is told to run acc doctor.
func TestADamagedInstallationIsExamined(t *testing.T) {
	damaged := protocol.DataError(launch.ReasonRuntimeDamaged, "control.json is damaged").WithHint("acc doctor")
	root := t.TempDir()
	for command, admitted := range map[string]bool{"doctor": true, "support-bundle": true, "status": false, "install": false} {
		var out, errs bytes.Buffer
		Main(t.Context(), Host{
			Stdout: &out, Stderr: &errs,
			Env: func(name string) string {
				return map[string]string{datahome.Variable: filepath.Join(root, "data"), "HOME": root, "USERPROFILE": root}[name]
			},
			Admit: func(Standing) error { return damaged },
			Enter: room.Enter, Lives: func() ([]*adapter.Live, error) { return nil, nil },
			Installers: func() ([]adapter.Installer, error) { return nil, nil },
		}, []string{command, "--cwd", root})
		if got := !strings.Contains(errs.String(), damaged.Message); got != admitted {
			t.Errorf("%s: admitted %v; %s%s", command, got, out.String(), errs.String())
		}
	}
}

// TestEveryCommandIsAdmittedFirst: what a command is to the installation is asked before anything else happens,
// and an installation that lets nobody in is told of with exit code 4.
func TestEveryCommandIsAdmittedFirst(t *testing.T) {
	closed := protocol.DataError(protocol.ReasonActivating, "acc is being updated")
	for _, c := range []struct {
		args []string
		want Standing
	}{
		{[]string{"status"}, Resident},
		{[]string{"--json", "inbox"}, Resident},
		{[]string{"claim", "--resource", "a"}, Resident},
		{[]string{"doctor"}, Manager},
		{[]string{"install", "--dry-run"}, Manager},
		{[]string{"uninstall", "--dry-run"}, Manager},
		{[]string{"help"}, Visitor},
		{[]string{"status", "--help"}, Visitor},
		{[]string{"version"}, Visitor},
		{nil, Visitor},
	} {
		asked := Visitor
		var out, errs bytes.Buffer
		code := Main(context.Background(), Host{
			Stdout: &out, Stderr: &errs, Env: func(string) string { return "" },
			Admit: func(s Standing) error { asked = s; return closed },
		}, c.args)
		if asked != c.want {
			t.Errorf("%v: %v, want %v", c.args, asked, c.want)
		}
		if want := map[bool]protocol.Code{true: protocol.OK, false: protocol.Data}[c.want == Visitor]; code != want {
			t.Errorf("%v: exit code %d, want %d; %s%s", c.args, code, want, out.String(), errs.String())
		}
	}
}
