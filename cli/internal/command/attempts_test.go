package command_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// TestStatusTellsWhoCannotBeWoken: apart from mail, and only of the generation that is open.
func TestStatusTellsWhoCannotBeWoken(t *testing.T) {
	data, project := filepath.Join(t.TempDir(), "data"), t.TempDir()
	env := func(name string) string { return map[string]string{datahome.Variable: data}[name] }
	r, err := room.Enter(t.Context(), room.Request{Dir: project, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, r)
	status, err := r.Core.Status(t.Context(), core.StatusQuery{})
	if err != nil {
		t.Fatal(err)
	}
	ledger := livefiles.NewLedger(r.Home, r.Dir)
	record := func(id, ref string) {
		t.Helper()
		if err := ledger.RecordAttempt(id, ref, livefiles.Attempt{At: time.Now(), Event: "SessionStart", Reason: "client_session_embedded", Policy: protocol.LiveAll, LaunchOption: "--here"}); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		host := command.Host{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Enter: room.Enter}
		if code := command.Main(context.Background(), host, append([]string{"--cwd", project, "status"}, args...)); code != protocol.OK {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
		return stdout.String()
	}
	id := status.Sessions[0].SessionID
	record(id, "another")
	if out := run(); strings.Contains(out, "cannot be woken") {
		t.Errorf("an attempt of another generation is told:\n%s", out)
	}
	var generation string
	if err := r.Store.View(t.Context(), func(reader core.Reader) error {
		stored, _, err := reader.Get(protocol.KindSession, id)
		generation = stored.Record.(*protocol.Session).Generation
		return err
	}); err != nil {
		t.Fatal(err)
	}
	record(id, protocol.GenerationRef(generation))
	out := run()
	if !strings.Contains(out, "\ncannot be woken\n  "+status.Sessions[0].ParticipantID+"  client_session_embedded  tried at SessionStart ") || strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	if out := run("--json"); !strings.Contains(out, `"attempts":[{"participantId":"`+status.Sessions[0].ParticipantID+`"`) || strings.Contains(out, generation) {
		t.Errorf("%s", out)
	}
}
