package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	flags "github.com/urfave/cli/v2"
)

func updateCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "update", Group: groupAbout,
			Summary: "bring the installed acc to a later release",
			Options: []argv.Option{
				{Name: "check", Usage: "say whether there is a later release, and change nothing"},
				{Name: "auto", Value: "WHEN", Choices: []string{"on", "off"}, Usage: "whether later releases are looked for, once a day, without being asked"},
				{Name: "pin", Value: "VERSION", Usage: "stay on this version, or none: the newest; the active one never becomes an older one by this"},
				{Name: "yes", Usage: "agree to the restart of a client's background service that keeps a release waiting, once it is idle"},
				{Name: "apply", Usage: "the same as --yes"},
			},
			Notes: []string{
				"Finishes an update that was interrupted or had to wait, and else asks the registry. The version that is active stays so until a later one was verified and every client brought up to date.",
				"Sessions that are open go on with the version that they began with. Exit code 5: processes of an incompatible version are at work, and are named.",
				"If exactly one background service of a client keeps it waiting and can be restarted safely, that is offered: on a terminal with a question, elsewhere with reason confirmation_required, unless --yes agrees. A worker then waits until the service is idle and goes on by itself.",
				"With --auto or --pin nothing is looked for. ACC_NO_UPDATE_CHECK=1 forbids to use the network; ACC_REGISTRY names another registry.",
			},
		},
		Patience: 30 * time.Minute,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			home, err := datahome.Locate(inv.Env)
			if err != nil {
				return Answer{}, err
			}
			o := update{inv: inv, home: home, runtime: runtime.Open(home)}
			settings := given.IsSet("auto") || given.IsSet("pin")
			agreed := given.Bool("yes") || given.Bool("apply")
			switch {
			case agreed && (settings || given.Bool("check")):
				return Answer{}, invalid("--yes agrees to what acc update asks; --check, --auto and --pin ask nothing")
			case settings && given.Bool("check"):
				return Answer{}, invalid("--check looks, --auto and --pin choose; give one or the other")
			case settings:
				return o.choose(ctx, given.String("auto"), given.String("pin"))
			case given.Bool("check"):
				return o.work(ctx, "update", "--check")
			}
			return o.bring(ctx, agreed)
		},
	}
}

// update is one run of the command.
type update struct {
	inv     *Invocation
	home    datahome.Home
	runtime *runtime.Manager
}

// choose keeps preferences; "" is one that was not given.
func (o update) choose(ctx context.Context, auto, pin string) (Answer, error) {
	if _, stable := release.ParseVersion(pin); pin != "" && pin != "none" && !stable {
		return Answer{}, invalid("--pin takes a version such as 1.2.3, or none, not %q", pin)
	}
	if pin != "" {
		version := pin
		if pin == "none" {
			version = ""
		}
		if err := o.runtime.SetPin(ctx, version); err != nil {
			return Answer{}, err
		}
	}
	if auto != "" {
		if err := o.runtime.SetAuto(ctx, auto == "on"); err != nil {
			return Answer{}, err
		}
	}
	s, err := o.runtime.Settings()
	if err != nil {
		return Answer{}, err
	}
	data := settled(view.UpdateSettings, s)
	a := answer(view.Update, data, func(u *ui.UI) { sayUpdate(u, data) })
	if pinned, ok := release.ParseVersion(s.Pin); ok {
		if active, ok := release.ParseVersion(s.Active.Version); ok && pinned.Compare(active) < 0 {
			a.Warnings = []string{fmt.Sprintf("%s is older than %s, which stays active: acc install --downgrade of the older release goes back", s.Pin, s.Active.Version)}
		}
	}
	return a, nil
}

// settled is an answer that needs no worker.
func settled(outcome view.UpdateOutcome, s runtime.Settings) view.UpdateData {
	data := view.UpdateData{Outcome: outcome, Active: s.Active.Version, Auto: s.Auto, Pin: s.Pin, CheckedAt: s.CheckedAt, Notice: s.Notice}
	if s.Pending != nil {
		data.Pending = s.Pending.Version
	}
	return data
}

// work lets the worker of the installed acc do it, which alone uses the network, and passes its answer on.
func (o update) work(ctx context.Context, args ...string) (Answer, error) {
	worker, err := o.worker()
	if err != nil {
		return Answer{}, err
	}
	cmd := exec.CommandContext(ctx, worker, args...)
	cmd.Dir, cmd.WaitDelay = o.home.Root, 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), datahome.Variable+"="+o.home.Root)
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, o.inv.Stderr
	ran := cmd.Run()
	if ran == nil {
		data, err := view.Update.Decode(stdout.Bytes())
		if err != nil {
			return Answer{}, protocol.DataError("", "the worker's answer cannot be read: "+err.Error()).WithHint("acc update")
		}
		return answer(view.Update, data, func(u *ui.UI) { sayUpdate(u, data) }), nil
	}
	var exit *exec.ExitError
	failed, err := view.DecodeError(stdout.Bytes())
	if !errors.As(ran, &exit) || err != nil {
		return Answer{}, protocol.DataError("", fmt.Sprintf("%s did not do its work: %v", worker, ran)).WithHint("acc update").Because(ran)
	}
	return Answer{}, failed.Err()
}

// worker gives the worker of the active generation, or if that is damaged the one of the pending generation.
// Nothing is started before it was verified.
func (o update) worker() (string, error) {
	s, err := o.runtime.Settings()
	if err != nil {
		return "", err
	}
	damaged := o.runtime.Verify(s.Active)
	if damaged == nil {
		return o.runtime.Layout().Executable(s.Active.Name, "acc-worker"), nil
	}
	if s.Pending != nil && o.runtime.Verify(*s.Pending) == nil {
		return o.runtime.Layout().Executable(s.Pending.Name, "acc-worker"), nil
	}
	return "", protocol.DataError(protocol.ReasonOf(damaged), damaged.Error()).WithHint("acc install, of a release, installs it again").Because(damaged)
}

func sayUpdate(u *ui.UI, d view.UpdateData) {
	switch d.Outcome {
	case view.UpdateDone:
		u.Print("acc %s is active; it was %s", ui.Escape(d.Active), ui.Escape(d.Previous))
	case view.UpdateAvailable:
		u.Print("acc %s is there; %s is active", ui.Escape(d.Latest), ui.Escape(d.Active))
		u.Note("acc update installs it")
	case view.UpdateCurrent:
		u.Print("acc %s is active; the registry has nothing later", ui.Escape(d.Active))
	case view.UpdateAtService:
		u.Print("acc %s is active; a background service of a client is being restarted for the later one", ui.Escape(d.Active))
	case view.UpdateSettings:
		looked := "not looked for"
		if d.Auto {
			looked = "looked for once a day"
		}
		line := "acc " + d.Active + " is active; later releases are " + looked
		if d.Pin != "" {
			line += "; updates stay on " + d.Pin
		}
		u.Print("%s", ui.Escape(line))
	}
	if d.Pending != "" {
		u.Print("acc %s waits to be activated", ui.Escape(d.Pending))
	}
	if d.Notice != "" {
		u.Note(d.Notice)
	}
}
