package update

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/runtime/maintenance"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// Worker is the program of a release that updates.
const Worker = "acc-worker"

// ActivateCommand is the argument with which the worker of a pending generation activates that. Every release
// answers to it: with exit code 0, or with another one and a failure envelope on standard output.
const ActivateCommand = "activate"

// leaving is how long a worker that was told to end may take.
const leaving = 10 * time.Second

// ByWorker gives the way to activate a generation: its own worker does it, because only that knows what it writes
// into clients. The generation is verified before anything of it starts.
func ByWorker(m *runtime.Manager, home datahome.Home) func(ctx context.Context, g runtime.Generation) error {
	return func(ctx context.Context, g runtime.Generation) error {
		if err := m.Verify(g); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, m.Layout().Executable(g.Name, Worker), ActivateCommand)
		cmd.Dir, cmd.WaitDelay = home.Root, leaving
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.Env = append(os.Environ(), datahome.Variable+"="+home.Root)
		var stdout, stderr limited
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if err == nil {
			return nil
		}
		if failure, decodeErr := failureObject.Decode(stdout.Bytes()); decodeErr == nil {
			return failure.asError()
		}
		line, _, _ := bytes.Cut(bytes.TrimSpace(stderr.Bytes()), []byte("\n"))
		return protocol.DataError("", fmt.Sprintf("the worker of acc %s ended before it had activated it: %v: %.300q", g.Version, err, line)).
			WithHint("acc update").Because(err)
	}
}

// failure is a failure envelope, as far as every version has it.
type failure struct{ body failureBody }

type failureBody struct {
	code            int
	reason, message string
	details         jsontext.Value
}

var failureObject = &strictjson.Object[failure]{
	Name: "failure", Open: true,
	Members: func() []strictjson.Member[failure] {
		return []strictjson.Member[failure]{
			strictjson.Field("error", "", func(f *failure) *failureBody { return &f.body }, strictjson.Nested(&strictjson.Object[failureBody]{
				Name: "error", Open: true,
				Members: func() []strictjson.Member[failureBody] {
					return []strictjson.Member[failureBody]{
						strictjson.Field("code", "", func(b *failureBody) *int { return &b.code }, strictjson.Int(1, 255)),
						strictjson.Field("reason", "", func(b *failureBody) *string { return &b.reason }, strictjson.Nullable(strictjson.Text(maxText))),
						strictjson.Field("message", "", func(b *failureBody) *string { return &b.message }, strictjson.Text(64<<10)),
						strictjson.Field("details", "", func(b *failureBody) *jsontext.Value { return &b.details }, strictjson.RawObject()),
					}
				},
			})),
		}
	},
}

type details struct{ hint string }

var detailsObject = &strictjson.Object[details]{
	Name: "details", Open: true,
	Members: func() []strictjson.Member[details] {
		return []strictjson.Member[details]{
			strictjson.Optional("hint", "", func(d *details) *string { return &d.hint }, strictjson.Text(maxText)),
		}
	},
}

// asError gives the error that another process has met.
func (f failure) asError() error {
	err := &protocol.Error{Code: protocol.Code(f.body.code), Reason: protocol.Reason(f.body.reason), Message: f.body.message}
	if d, decodeErr := detailsObject.Decode(f.body.details); decodeErr == nil {
		err.Hint = d.hint
	}
	return err
}

// Activate is what the worker of a pending generation does: it makes its generation the active one, brings the
// stores to its contract, and removes what is not needed any more. What is left of the last two is done by a later
// worker, and kept on record.
func Activate(ctx context.Context, m *runtime.Manager, buildID string, in runtime.Integrations) error {
	unlock, err := Lock(ctx, m, true)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := m.Settings()
	if err != nil {
		return err
	}
	switch {
	case s.Active.BuildID == buildID && s.Phase == runtime.Ready && (s.Pending == nil || s.Pending.BuildID == buildID):
		// A worker that was killed had come as far as that.
	case s.Pending == nil || s.Pending.BuildID != buildID || buildID == "":
		return protocol.ConflictError(runtime.ReasonStateChanged, "this build of acc is not the one that waits to be activated").WithHint("acc update")
	default:
		if err := m.ActivateAround(ctx, in, runtime.Around{Spare: maintenance.Spared(m)}); err != nil {
			return err
		}
	}
	_, upgradeErr := m.UpgradeStores(ctx)
	_, reclaimErr := m.Reclaim(ctx)
	return leftOver(errors.Join(upgradeErr, reclaimErr))
}

// leftOver drops what another worker will do later: the activation has succeeded.
func leftOver(err error) error {
	if slices.Contains([]protocol.Reason{protocol.ReasonAdmissionBusy, runtime.ReasonProcessesActive}, protocol.ReasonOf(err)) {
		return nil
	}
	return err
}
