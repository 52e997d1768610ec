package relays

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/adapters/antigravity/live/relay"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// serveWord makes the program its second half.
const serveWord = "serve"

// listening is what the second half says when it listens; anything else is why it does not.
const listening = "listening\n"

// handoff is what the second half is told, on its standard input and nowhere else: arguments and
// environments of processes can be read by others.
type handoff struct {
	request
	vendor relay.Vendor
}

const (
	maxHandoff = 1 << 20
	maxWord    = 64 << 10
)

var handoffs = &strictjson.Object[handoff]{
	Name: "handoff", Doc: "What a relay is told by the process that started it.", MaxBytes: maxHandoff,
	Members: func() []strictjson.Member[handoff] {
		return []strictjson.Member[handoff]{
			strictjson.Field("session", "", func(h *handoff) *string { return &h.owner.SessionID }, strictjson.Text(maxWord)),
			strictjson.Field("generation", "", func(h *handoff) *string { return &h.owner.Generation }, strictjson.Text(maxWord)),
			strictjson.Field("cwd", "", func(h *handoff) *string { return &h.cwd }, strictjson.Text(maxWord)),
			strictjson.Field("workspace", "", func(h *handoff) *string { return &h.workspace }, strictjson.Text(maxWord)),
			strictjson.Field("command", "", func(h *handoff) *string { return &h.vendor.Path }, strictjson.Text(maxWord)),
			strictjson.Field("version", "", func(h *handoff) *string { return &h.vendor.Version }, strictjson.Text(maxWord)),
			strictjson.Field("address", "", func(h *handoff) *string { return &h.vendor.Address }, strictjson.Text(maxWord)),
			strictjson.Field("token", "", func(h *handoff) *string { return &h.vendor.Token }, strictjson.Text(maxWord)),
		}
	},
}

// spawn starts the second half and waits until it listens or says why it does not.
func spawn(ctx context.Context, h handoff) error {
	told, err := handoffs.Append(nil, &h)
	if err != nil {
		return protocol.Malformed("handoff", err)
	}
	self, err := os.Executable()
	if err != nil {
		return protocol.DataError("", "the relay's own executable cannot be told").Because(err)
	}
	cmd := exec.Command(self, serveWord)
	cmd.Dir = string(os.PathSeparator) // it holds no directory of the user
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == relay.EnvToken || name == relay.EnvAddress
	})
	detach(cmd)
	// An error of writing to a process that ended at once is told by what it said.
	cmd.Stdin = bytes.NewReader(told)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return protocol.DataError("", "the relay cannot be started").Because(err)
	}
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(out, maxWord))
		said <- string(text)
	}()
	select {
	case text := <-said:
		if text == listening {
			return cmd.Process.Release()
		}
		_ = cmd.Process.Kill()
		return protocol.DataError("", "the relay did not start: "+strings.TrimSpace(text))
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		return protocol.TimeoutError("", "the relay does not start listening").WithHint("start it again")
	}
}

// serve is the second half. It returns when there is nothing to serve any more.
func serve(stdin io.Reader, stdout io.Writer, env datahome.Env) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := listen(ctx, stdin, env)
	if err != nil {
		_, _ = io.WriteString(stdout, err.Error()) // who started it passes this on
		return err
	}
	_, _ = io.WriteString(stdout, listening)
	if c, ok := stdout.(io.Closer); ok {
		_ = c.Close() // the first half reads to the end
	}
	r.Serve(ctx)
	return nil
}

func listen(ctx context.Context, stdin io.Reader, env datahome.Env) (*relay.Relay, error) {
	told, err := io.ReadAll(io.LimitReader(stdin, maxHandoff+1))
	if err != nil {
		return nil, protocol.DataError("", "nothing was handed over").Because(err)
	}
	h, err := handoffs.Decode(told)
	if err != nil {
		return nil, protocol.UsageError("", "a relay is started without the word "+serveWord)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	in, err := h.room(ctx, env)
	if err != nil {
		return nil, err
	}
	client, err := findClient(env)
	if err != nil {
		return nil, err
	}
	return relay.Listen(relay.Config{
		Vault: livefiles.NewVault(in.Home), GenerationRef: protocol.GenerationRef(h.owner.Generation), Vendor: h.vendor,
		// What cannot be looked at any more is not held to be alive.
		ClientAlive: func() bool { return process.Table{}.Check(client) == core.ProcessAlive },
		SessionOpen: func(ctx context.Context) bool {
			ctx, cancel := context.WithTimeout(ctx, startTime)
			defer cancel()
			_, err := in.Core.Published(ctx, h.owner)
			return !over(err)
		},
		After: time.After,
	})
}

// over says that a session has ended. A store that cannot be read just now says nothing.
func over(err error) bool {
	switch protocol.ReasonOf(err) {
	case protocol.ReasonSessionClosed, protocol.ReasonCallerMismatch, protocol.ReasonNotFound:
		return true
	}
	return false
}
