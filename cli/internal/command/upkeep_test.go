package command_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// TestUpkeepComesAfterTheAnswer: a command sweeps what crashed writers left, once a day; doctor leaves a room
// as it finds it.
func TestUpkeepComesAfterTheAnswer(t *testing.T) {
	data, project := filepath.Join(t.TempDir(), "data"), t.TempDir()
	env := func(name string) string {
		if name == datahome.Variable {
			return data
		}
		return ""
	}
	var dir string
	enter := func(ctx context.Context, req room.Request) (*room.Room, error) {
		r, err := room.Enter(ctx, req)
		if err == nil {
			dir = r.Dir
		}
		return r, err
	}
	run := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		host := command.Host{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Enter: enter}
		if code := command.Main(t.Context(), host, append([]string{"--cwd", project}, args...)); code != protocol.OK {
			t.Fatalf("%v: exit %d, %s", args, code, stderr.String())
		}
	}
	run("attach", "--participant", "ada")
	run("attach", "--participant", "bob") // with the second the room is kept
	leftover := filepath.Join(dir, "tmp", "1-0000000000000001")
	if err := os.WriteFile(leftover, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(leftover, old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "locks", "sweep.json")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	run("status")
	if _, err := os.Stat(leftover); err == nil {
		t.Error("what a crash left is still there after a command on a day without a sweep")
	}
}
