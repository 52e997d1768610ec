package relay

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/release"
	"github.com/acc-control-plane/acc/adapters/antigravity/live/internal/wire"
	"github.com/acc-control-plane/acc/protocol"
)

// Command is the client's executable.
const Command = "agy"

// Variables that the client sets in its agent's shell, and nowhere else.
const (
	EnvAddress = "ANTIGRAVITY_LS_ADDRESS"
	EnvToken   = "ANTIGRAVITY_CSRF_TOKEN"
)

// Vendor is the client's own command and what it needs to reach the running client.
type Vendor struct {
	Path    string // of the executable
	Version string // as it says itself
	Address string
	Token   string // in memory only
}

// Bounds of the client's command.
const (
	versionTime = 3 * time.Second
	sendTime    = adapter.MaxOfferTime - time.Second // the relay must answer before its sender gives up
	killTime    = 200 * time.Millisecond
	maxSaid     = 64 << 10 // bytes of its output that are looked at
)

// Find finds the client's command in the agent's shell and asks it for its version. Errors name what is
// missing.
func Find(ctx context.Context, env func(string) string) (Vendor, error) {
	v := Vendor{Address: env(EnvAddress), Token: env(EnvToken)}
	if v.Address == "" || v.Token == "" {
		return Vendor{}, protocol.UsageError("", EnvAddress+" and "+EnvToken+" are not set").
			WithHint("start the relay from the shell tool of an Antigravity agent; nothing else has them")
	}
	path, err := exec.LookPath(Command)
	if err != nil {
		return Vendor{}, protocol.UsageError("", "there is no "+Command+" on the path of this shell").Because(err)
	}
	v.Path = path
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	said, err := v.run(ctx, "--version")
	if err != nil {
		return Vendor{}, protocol.DataError("", path+" --version failed").Because(err)
	}
	for _, word := range strings.Fields(string(said)) {
		if got, ok := release.Parse(strings.TrimPrefix(word, "v")); ok {
			v.Version = strings.TrimPrefix(word, "v")
			if least, _ := release.Parse(wire.MinimumVersion); got.Compare(least) < 0 {
				return Vendor{}, protocol.UsageError("", "Antigravity CLI "+v.Version+" is older than "+wire.MinimumVersion+", the first whose command is known")
			}
			return v, nil
		}
	}
	return Vendor{}, protocol.DataError("", path+" --version names no version")
}

// send runs the client's command once. "" says that it took the text.
func (v Vendor) send(ctx context.Context, conversation, text string) protocol.OfferFailure {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	said, err := v.run(ctx, "agentapi", "send-message", conversation, text)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return protocol.FailTransport // it may have crossed
	case bytes.Contains(said, []byte("Unavailable")):
		return protocol.FailRecipientGone // its word for a conversation that has ended
	case errors.As(err, &exit):
		return protocol.FailRejected
	case err != nil:
		return protocol.FailTransport
	}
	return ""
}

// run runs the command and gives the beginning of what it said on both outputs, which is looked at and
// never passed on.
func (v Vendor) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, v.Path, args...)
	cmd.Env = append(os.Environ(), EnvAddress+"="+v.Address, EnvToken+"="+v.Token)
	cmd.WaitDelay = killTime
	said := &head{left: maxSaid}
	cmd.Stdout, cmd.Stderr = said, said
	err := cmd.Run()
	return said.kept.Bytes(), err
}

// head keeps the beginning of what is written to it.
type head struct {
	kept bytes.Buffer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.left -= n
	h.kept.Write(p[:n])
	return len(p), nil
}
