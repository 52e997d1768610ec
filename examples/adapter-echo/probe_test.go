package echo

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/examples/adapter-echo/hook"
	"github.com/acc-control-plane/acc/examples/adapter-echo/live"
)

// probeVariable names the directory in which this program, started as a hook, keeps what it was told.
const probeVariable = "ECHO_ADAPTER_PROBE"

// generation stands for acc's session.
const generation = "0123456789abcdef"

// probe is one hook call: it keeps the payload, and answers through the adapter what acc would: text
// where the model reads it, a refusal for held.txt. The first prompt also binds the live endpoint.
func probe(dir string) error {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	a, err := hook.New()
	if err != nil {
		return err
	}
	e, err := a.Normalize(adapter.Call{Payload: data, Env: os.Getenv})
	if err != nil {
		return err
	}
	calls, err := filepath.Glob(filepath.Join(dir, "call-*.json"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("call-%02d.json", len(calls))), data, 0o600); err != nil {
		return err
	}
	if e.Kind == adapter.BeforeTurn {
		if err := bind(dir, e); err != nil {
			return err
		}
	}
	out, err := reply(a, e)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.Write(out.Stdout); err != nil {
		return err
	}
	if _, err := os.Stderr.Write(out.Stderr); err != nil {
		return err
	}
	if out.ExitCode != 0 { // some clients take their refusals by it
		os.Exit(out.ExitCode)
	}
	return nil
}

func reply(a *adapter.Adapter, e adapter.Event) (adapter.Output, error) {
	switch {
	case e.Kind == adapter.BeforeTool && slices.Contains(e.Targets, "held.txt"):
		return a.Deny(e, "held by a peer")
	case e.Kind == adapter.SessionStart:
		return a.Inject(e, "at start")
	case e.Kind == adapter.BeforeTurn:
		return a.Inject(e, "at prompt")
	case e.Kind == adapter.AfterTool:
		return a.Inject(e, "at result")
	}
	return adapter.Output{}, nil
}

// bind keeps the reference of the endpoint; no file says that there is none.
func bind(dir string, e adapter.Event) error {
	l, err := live.New()
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(os.Getenv("ECHO_PID"))
	if err != nil {
		return err
	}
	ctx, cancel := contextFor(2 * time.Second)
	defer cancel()
	h := l.Bind(ctx, adapter.BindRequest{SessionID: e.SessionID, GenerationRef: generation, PID: pid, Cwd: e.Cwd, Env: os.Getenv, Vault: vault(dir)})
	if h.Reason != adapter.NativeOK {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "endpoint"), []byte(h.Endpoint), 0o600)
}

// vault keeps the records of endpoints in a directory, across processes as acc's does.
type vault string

func (v vault) file(id string) string { return filepath.Join(string(v), "vault-"+id) }

func (v vault) Keep(id string, record []byte) error { return os.WriteFile(v.file(id), record, 0o600) }

func (v vault) Record(id string) ([]byte, error) { return os.ReadFile(v.file(id)) }

func (v vault) Drop(id string) error {
	if err := os.Remove(v.file(id)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func contextFor(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
