package command_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// TestASupportBundleTellsNothingThatAnybodyWrote: the archive of a room full of secrets is searched for them.
func TestASupportBundleTellsNothingThatAnybodyWrote(t *testing.T) {
	data, project := filepath.Join(t.TempDir(), "data"), t.TempDir()
	env := func(name string) string {
		switch name {
		case datahome.Variable:
			return data
		case "HOME", "USERPROFILE":
			return filepath.Dir(data)
		case "ACC_GENERATION":
			return "secret-variable"
		}
		return ""
	}
	r, err := room.Enter(t.Context(), room.Request{Dir: project, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	secrets := fill(t, r)
	var stdout, stderr bytes.Buffer
	host := command.Host{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Enter: room.Enter,
		Hooks: registry.Hooks, Lives: func() ([]*adapter.Live, error) { return nil, nil },
		Installers: func() ([]adapter.Installer, error) { return nil, nil },
	}
	out := filepath.Join(t.TempDir(), "bundle.tar.gz")
	if code := command.Main(context.Background(), host, []string{"--cwd", project, "support-bundle", "--output", out}); code != protocol.OK {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	files := unpack(t, out)
	for _, name := range []string{"version.json", "doctor.json", "environment.txt", "files.txt", "events.txt"} {
		if files["acc-support/"+name] == "" {
			t.Errorf("%s is missing among %d files", name, len(files))
		}
	}
	if !strings.Contains(files["acc-support/events.txt"], "message.recorded") || !strings.Contains(files["acc-support/environment.txt"], "ACC_GENERATION set\n") {
		t.Errorf("%q", files)
	}
	if !strings.Contains(files["acc-support/version.json"], `"claude_code"`) {
		t.Errorf("the adapters of the build are missing: %s", files["acc-support/version.json"])
	}
	for name, text := range files {
		for what, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %s", name, what)
			}
		}
	}
}

// fill makes a room with something to hide in every place.
func fill(t *testing.T, r *room.Room) map[string]string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	secrets := map[string]string{
		"a body": "secret-body", "a subject": "secret-subject", "an intent": "secret-intent", "a reason": "secret-reason",
		"an endpoint": "secret-endpoint", "a variable": "secret-variable",
	}
	var owners []core.Owner
	for _, name := range []string{"ana", "ben"} {
		s, err := r.Core.OpenSession(t.Context(), core.OpenSession{ParticipantID: name, ParticipantOf: protocol.Agent, Harness: "codex", Enforcement: protocol.Advisory, Lifecycle: protocol.Manual, Cadence: protocol.HookCadence})
		must(err)
		owners = append(owners, core.Owner{SessionID: s.SessionID, Generation: s.Generation})
		secrets["the key of "+name] = s.Generation
		must(r.Store.Ephemeral().PutBinding(t.Context(), protocol.DeliveryBinding{
			SessionID: s.SessionID, Generation: s.Generation, AdapterID: "codex", ClientVersion: "1.0.0", AvailableModes: []protocol.DeliveryMode{protocol.LivePush},
			LivePolicy: protocol.LiveAll, OpaqueEndpointRef: "secret-endpoint", LeaseUntil: time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond),
		}))
	}
	_, err := r.Core.Send(t.Context(), owners[0], core.SendRequest{To: []string{"ben"}, MessageKind: protocol.Note, Subject: "secret-subject", Body: "secret-body"})
	must(err)
	_, err = r.Core.PublishIntent(t.Context(), owners[0], core.IntentRequest{Summary: "secret-intent", Mode: protocol.ModeEdit, State: protocol.IntentActive})
	must(err)
	_, err = r.Core.Claim(t.Context(), owners[0], core.ClaimRequest{Resource: "file:x", Reason: "secret-reason"})
	must(err)
	return secrets
}

func unpack(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files, archive := map[string]string{}, tar.NewReader(packed)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(data)
	}
}
