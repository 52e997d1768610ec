//go:build unix

package realclient

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Terminal is a program in a tmux server of its own.
type Terminal struct {
	tmux   string
	socket string // of the tmux server
	pid    int
}

const session = "client"

// OpenTerminal starts a program with exactly the given environment in a terminal of 160 by 50. socket is
// the path of the tmux server's socket.
func OpenTerminal(ctx context.Context, socket, dir string, env []string, command ...string) (*Terminal, error) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return nil, err
	}
	t := &Terminal{tmux: tmux, socket: socket}
	line := "exec env -i " + quoteAll(append(env, command...))
	if _, err := t.run(ctx, "-f", "/dev/null", "new-session", "-d", "-s", session, "-x", "160", "-y", "50", "-c", dir, line); err != nil {
		return nil, err
	}
	out, err := t.run(ctx, "display-message", "-p", "-t", session, "#{pane_pid}")
	if err == nil {
		t.pid, err = strconv.Atoi(strings.TrimSpace(out))
	}
	return t, err
}

// PID is the program's process: the shell and env that started it became it.
func (t *Terminal) PID() int { return t.pid }

// Type types text and then the return key.
func (t *Terminal) Type(ctx context.Context, text string) error {
	if _, err := t.run(ctx, "send-keys", "-t", session, "-l", "--", text); err != nil {
		return err
	}
	select { // a paste that ends in return is taken as text
	case <-time.After(400 * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	return t.Enter(ctx)
}

// Enter presses the return key.
func (t *Terminal) Enter(ctx context.Context) error {
	_, err := t.run(ctx, "send-keys", "-t", session, "Enter")
	return err
}

// Press presses keys by tmux's names for them, one after the other.
func (t *Terminal) Press(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if _, err := t.run(ctx, "send-keys", "-t", session, key); err != nil {
			return err
		}
		select { // some keys are read as the beginning of a sequence
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Screen is what a person sees.
func (t *Terminal) Screen(ctx context.Context) string {
	out, err := t.run(ctx, "capture-pane", "-p", "-t", session)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Close ends the terminal and waits until what runs in it has written its last and ended.
func (t *Terminal) Close() {
	_, _ = t.run(context.Background(), "kill-server")
	for range 100 {
		if t.pid == 0 || errors.Is(syscall.Kill(t.pid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	_ = syscall.Kill(t.pid, syscall.SIGKILL)
}

func (t *Terminal) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, t.tmux, append([]string{"-S", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
