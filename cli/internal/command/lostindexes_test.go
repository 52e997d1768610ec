package command_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Indexes can be made again from the records, so a command that finds them lost does so and goes on. Only
// doctor says that they are lost, because it is asked how things are.
func TestLostIndexesAreMadeAgain(t *testing.T) {
	base := t.TempDir()
	project := filepath.Join(base, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{"ACC_DATA_HOME": filepath.Join(base, "data")}[name] }
	run := func(args ...string) (protocol.Code, []byte) {
		var stdout, stderr bytes.Buffer
		host := command.Host{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Enter: room.Enter}
		code := command.Main(t.Context(), host, append(args, "--cwd", project, "--json"))
		return code, stdout.Bytes()
	}
	attach := func(name string) (core.Owner, []string) {
		code, out := run("attach", "--participant", name)
		s, err := view.Attached.Decode(out)
		if code != protocol.OK || err != nil {
			t.Fatalf("exit %d, %v: %s", code, err, out)
		}
		return core.Owner{SessionID: s.SessionID, Generation: s.Generation}, []string{"--session", s.SessionID, "--generation", s.Generation}
	}
	ana, asAna := attach("ana")
	_, asBen := attach("ben")
	r, err := room.Enter(t.Context(), room.Request{Dir: project, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 80 { // fewer are found in the journal without indexes
		req := core.SendRequest{To: []string{"ben"}, MessageKind: protocol.Note, Subject: fmt.Sprint("note ", i), Body: "x"}
		if _, err := r.Core.Send(t.Context(), ana, req); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		append([]string{"inbox"}, asBen...),
		append([]string{"message", "--to", "ben", "--subject", "one more", "--body", "x"}, asAna...),
	} {
		if err := os.RemoveAll(filepath.Join(r.Dir, "indexes")); err != nil {
			t.Fatal(err)
		}
		if code, out := run(args...); code != protocol.OK {
			t.Errorf("acc %s without indexes: exit %d: %s", args[0], code, out)
		}
	}
	if code, out := run(append([]string{"inbox"}, asBen...)...); code != protocol.OK || !bytes.Contains(out, []byte("one more")) {
		t.Errorf("exit %d: %s", code, out)
	}
}
