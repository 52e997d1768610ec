package installer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
)

const (
	// maxOutput is how many bytes of each stream of a client are kept.
	maxOutput = 4 << 20
	// leaving is how long a client may take to end once its input has, or it was told to.
	leaving = 2 * time.Second
)

// runner starts clients' own commands for a user.
type runner struct{ user User }

// run implements adapter.Machine.Run.
func (r runner) run(ctx context.Context, c adapter.ClientCommand) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir = r.user.Home // what a client reads in a project must not count
	cmd.Env = append(r.environment(), c.Env...)
	cmd.WaitDelay = leaving
	killTogether(cmd)
	out, complaints := &output{until: c.Until, seen: make(chan struct{})}, &output{}
	cmd.Stdout, cmd.Stderr = out, complaints
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, refused(c, err.Error())
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, refused(c, err.Error())
	}
	ended := make(chan struct{})
	go feed(ctx, in, c, out.seen, ended)
	if c.Until != "" {
		go dismiss(cmd, out.seen, ended)
	}
	err = cmd.Wait()
	close(ended)
	switch {
	case c.Until != "" && out.found(): // what was asked for is there, however the server then ended
	case ctx.Err() != nil:
		return nil, protocol.TimeoutError("", fmt.Sprintf("%s did not answer within %s", spoken(c), time.Since(started).Round(100*time.Millisecond))).Because(ctx.Err())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, refused(c, strings.TrimSpace(err.Error()+": "+firstLine(complaints.bytes())))
	}
	if c.Stderr {
		return append(out.bytes(), complaints.bytes()...), nil
	}
	return out.bytes(), nil
}

// feed writes the input and leaves it open as long as it is wanted.
func feed(ctx context.Context, in io.WriteCloser, c adapter.ClientCommand, seen, ended <-chan struct{}) {
	_, _ = in.Write(c.Input) // who does not read it shows that by what it answers
	if c.Until != "" {
		select {
		case <-seen:
		case <-ended:
		case <-ctx.Done():
		}
	}
	_ = in.Close()
}

// dismiss ends a command that goes on after it has answered and its input has ended.
func dismiss(cmd *exec.Cmd, seen, ended <-chan struct{}) {
	select {
	case <-seen:
	case <-ended:
		return
	}
	select {
	case <-time.After(leaving):
		_ = cmd.Cancel()
	case <-ended:
	}
}

// environment is what a client's command is given. A session of acc or of a client that acc was started
// from has no part in it.
func (r runner) environment() []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == "ACC_SESSION" || name == "ACC_GENERATION" || name == "CLAUDECODE":
		case !r.user.other || kept(name):
			env = append(env, entry)
		}
	}
	if !r.user.other {
		return env
	}
	env = append(env, homeVariable()+"="+r.user.Home)
	if local := r.user.Env("LOCALAPPDATA"); local != "" {
		env = append(env, "LOCALAPPDATA="+local)
	}
	return env
}

func refused(c adapter.ClientCommand, why string) error {
	return protocol.DataError("", spoken(c)+": "+strings.TrimRight(why, ": "))
}

// spoken is a command as people write it.
func spoken(c adapter.ClientCommand) string {
	return strings.Join(append([]string{filepath.Base(c.Path)}, c.Args...), " ")
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line[:min(len(line), 300)]
}

// output keeps what a stream carries, and says when a line of it contains a text.
type output struct {
	until string
	seen  chan struct{}

	mu   sync.Mutex
	data bytes.Buffer
	line int // where the unfinished line begins
	done bool
}

// Write implements io.Writer. What is too much is dropped: the client must not block.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.data.Write(p[:min(len(p), maxOutput-o.data.Len())])
	if o.until == "" || o.done {
		return len(p), nil
	}
	for {
		rest := o.data.Bytes()[o.line:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		o.line += end + 1
		if bytes.Contains(rest[:end], []byte(o.until)) {
			o.done = true
			close(o.seen)
			return len(p), nil
		}
	}
}

func (o *output) found() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done
}

func (o *output) bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.data.Bytes())
}

var _ io.Writer = (*output)(nil)
