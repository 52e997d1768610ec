package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Every command that speaks for a session refuses a right pair in the wrong room and a wrong key in the
// right one, and says so as JSON, without the key.
func TestTheWrongRoomIsRefused(t *testing.T) {
	base := t.TempDir()
	here, there := filepath.Join(base, "here"), filepath.Join(base, "there")
	for _, dir := range []string{here, there} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (protocol.Code, []byte) {
		var stdout, stderr bytes.Buffer
		env := func(name string) string { return map[string]string{"ACC_DATA_HOME": filepath.Join(base, "data")}[name] }
		host := command.Host{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Enter: room.Enter}
		code := command.Main(t.Context(), host, append(args, "--json"))
		if stderr.Len() > 0 {
			t.Errorf("%v --json wrote to stderr: %s", args, stderr.String())
		}
		return code, stdout.Bytes()
	}
	attach := func(dir, name string) protocol.Session {
		code, out := run("attach", "--participant", name, "--cwd", dir)
		s, err := view.Attached.Decode(out)
		if code != protocol.OK || err != nil {
			t.Fatalf("exit %d, %v: %s", code, err, out)
		}
		return s
	}
	mine, peer := attach(here, "ada"), attach(here, "bob")
	attach(there, "carol")
	for _, d := range command.Catalogue() {
		if !speaks(d) && d.Name != "status" && d.Name != "sync" {
			continue
		}
		for name, pair := range map[string][]string{
			"another room":  {"--session", mine.SessionID, "--generation", mine.Generation, "--cwd", there},
			"another key":   {"--session", mine.SessionID, "--generation", peer.Generation, "--cwd", here},
			"no such owner": {"--session", "session_00000000000000000000000000", "--generation", mine.Generation, "--cwd", here},
		} {
			code, out := run(slices.Concat([]string{d.Name}, required(d), pair)...)
			failure, err := view.DecodeError(out)
			if err != nil || code != protocol.Conflict || failure.Reason != string(protocol.ReasonCallerMismatch) || failure.Code != int(code) {
				t.Errorf("%s in %s: exit %d, %v, %s", d.Name, name, code, err, out)
			}
			if strings.Contains(string(out), mine.Generation) || strings.Contains(string(out), peer.Generation) {
				t.Errorf("%s in %s prints a key: %s", d.Name, name, out)
			}
		}
	}
}
