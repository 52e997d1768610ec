// Package service looks at Codex's background server, and has it stopped and started by Codex's own commands.
//
// One server per CODEX_HOME runs the threads of all terminals. Codex keeps in app-server-daemon/daemon.pid which process
// it is: number, the id of the kernel's start, and the clock tick of the process's own, which together name it for good.
// The control socket must be served by that very process, and says what every thread is doing. Stopping and starting
// are `codex app-server daemon stop` and `start` of the executable that Codex itself runs the server from.
//
// Observed with Codex 0.171.0 on Linux. Nowhere else is it known how the server is named, so nothing qualifies there.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapters/codex/live"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Daemon implements adapter.Service.
type Daemon struct{}

var _ adapter.Service = Daemon{}

const (
	maxRecord   = 16 << 10
	lookTime    = 5 * time.Second
	commandTime = 30 * time.Second
)

// InspectService implements adapter.Service. A record without a process behind it is given as it is: whoever asks
// compares it with the process table.
func (Daemon) InspectService(ctx context.Context, m adapter.Machine) (adapter.ServiceState, error) {
	home := live.HomeOf(m.Env)
	if m.GOOS != "linux" || home == "" {
		return adapter.ServiceState{}, nil // how it is named there was never seen
	}
	p, found, err := recorded(filepath.Join(home, "app-server-daemon", "daemon.pid"))
	if err != nil || !found {
		return adapter.ServiceState{}, err
	}
	state := adapter.ServiceState{Process: p}
	if _, err := os.Lstat(fmt.Sprintf("/proc/%d", p.PID)); errors.Is(err, fs.ErrNotExist) {
		return state, nil // it left its record behind
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	threads, err := live.Threads(ctx, home, p.PID)
	if err != nil {
		return adapter.ServiceState{}, fmt.Errorf("the background server of Codex, PID %d, does not say what it does: %w", p.PID, err)
	}
	for _, t := range threads {
		state.Sessions = append(state.Sessions, t.ID)
		state.Busy = state.Busy || !t.Idle
	}
	return state, nil
}

// StopService implements adapter.Service. Codex's command compares its record with the process once more, tells it to
// end, and waits. Between the look here and that one another server could have taken over; it is a matter of milliseconds.
func (d Daemon) StopService(ctx context.Context, m adapter.Machine, p adapter.ServiceProcess) error {
	home := live.HomeOf(m.Env)
	now, found, err := recorded(filepath.Join(home, "app-server-daemon", "daemon.pid"))
	if err != nil {
		return err
	}
	if !found || now != p {
		return errors.New("another process is on record as the background server of Codex")
	}
	return run(ctx, m, home, "stop")
}

// StartService implements adapter.Service. Codex says alreadyRunning of one that runs.
func (Daemon) StartService(ctx context.Context, m adapter.Machine) error {
	return run(ctx, m, live.HomeOf(m.Env), "start")
}

// run lets Codex do something with its server.
func run(ctx context.Context, m adapter.Machine, home, what string) error {
	if home == "" || m.Run == nil {
		return errors.New("no command can be started here")
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	_, err := m.Run(ctx, adapter.ClientCommand{
		Path: filepath.Join(home, "packages", "app-server-daemon", "current", "bin", "codex"),
		Args: []string{"app-server", "daemon", what}, Env: []string{"CODEX_HOME=" + home},
	})
	return err
}

// record is Codex's own record of its server.
type record struct {
	pid      int
	identity identity
}

type identity struct {
	boot  string
	ticks int
}

var records = &strictjson.Object[record]{
	Name: "daemon.pid", Open: true, MaxBytes: maxRecord,
	Members: func() []strictjson.Member[record] {
		return []strictjson.Member[record]{
			strictjson.Field("pid", "", func(r *record) *int { return &r.pid }, strictjson.Int(2, 1<<31-1)),
			strictjson.Field("processIdentity", "", func(r *record) *identity { return &r.identity }, strictjson.Nested(&strictjson.Object[identity]{
				Name: "processIdentity", Open: true,
				Members: func() []strictjson.Member[identity] {
					return []strictjson.Member[identity]{
						strictjson.Field("bootId", "", func(i *identity) *string { return &i.boot }, strictjson.Line(100)),
						strictjson.Field("startTicks", "", func(i *identity) *int { return &i.ticks }, strictjson.Int(1, 1<<53-1)),
					}
				},
			})),
		}
	},
}

// recorded reads which process serves. found is false if there is no record.
func recorded(path string) (p adapter.ServiceProcess, found bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return p, false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return p, false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return p, false, err
	}
	r, err := records.Decode(data)
	if err != nil {
		return p, false, fmt.Errorf("%s does not say which process serves: %w", path, err)
	}
	return adapter.ServiceProcess{PID: r.pid, StartTime: uint64(r.identity.ticks), BootID: r.identity.boot}, true, nil
}
