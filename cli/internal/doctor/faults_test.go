package doctor

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// inPlaceOf puts a file where a directory has to be.
func (p *patient) inPlaceOf(dir string) {
	p.Helper()
	p.must(os.RemoveAll(dir))
	p.must(os.MkdirAll(filepath.Dir(dir), 0o700))
	p.must(os.WriteFile(dir, nil, 0o600))
}

// says wants one finding of a subject that begins so.
func (p *patient) says(r Report, subject, want string) {
	p.Helper()
	if !slices.ContainsFunc(lines(r, subject), func(line string) bool { return strings.HasPrefix(line, want) }) {
		p.Errorf("%q is not in\n%s", want, strings.Join(lines(r, subject), "\n"))
	}
}

// TestDirectoriesThatCannotBeListed are told of, each where it matters.
func TestDirectoriesThatCannotBeListed(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	p.inPlaceOf(filepath.Join(r.Dir, "live", "attempt"))
	p.says(p.examine(false), subjectSessions, "warn cannot list the attempts to bind: ")
	p.inPlaceOf(filepath.Join(r.Dir, "bindings"))
	got := p.examine(false)
	p.says(got, subjectSessions, "fail ")
	p.says(got, subjectSessions, "warn ")
	p.inPlaceOf(p.home.NativeWorkspaces())
	p.says(p.examine(false), subjectSessions, "fail ")
}

// TestRoomsThatCannotBeEntered: a damaged store and a damaged configuration are different faults, and choices that cannot
// be read another.
func TestRoomsThatCannotBeEntered(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	identity := filepath.Join(r.Dir, "protocol.json")
	whole, err := os.ReadFile(identity)
	p.must(err)
	p.must(os.WriteFile(identity, []byte("nonsense"), 0o600))
	p.says(p.examine(false), subjectStore, "fail ")
	p.must(os.WriteFile(identity, whole, 0o600))
	p.must(os.WriteFile(filepath.Join(p.home.Acc(), "delivery.json"), []byte("{"), 0o600))
	p.says(p.examine(false), subjectClients, "fail the choices about waking sessions cannot be read, so none is woken: ")
	p.must(os.WriteFile(filepath.Join(p.project, "acc.workspace.json"), []byte("nonsense"), 0o600))
	p.says(p.examine(false), subjectRoom, "fail cannot use the workspace configuration")
}

// TestStoreThatCannotBeRead: what stands in the way of reading it is told of, as is a lock that is none.
func TestStoreThatCannotBeRead(t *testing.T) {
	p := newPatient(t)
	r := p.talk(1)
	lock := filepath.Join(r.Dir, "locks")
	p.inPlaceOf(lock)
	p.says(p.examine(false), subjectLock, "fail who holds the writer lock is unknown: ")
	p = newPatient(t)
	r = p.talk(1)
	p.inPlaceOf(filepath.Join(r.Dir, "journal"))
	p.says(p.examine(false), subjectStore, "fail cannot be read: ")
}

// TestTimeRunsOut: a check that could not be made to the end says so, instead of that all is well.
func TestTimeRunsOut(t *testing.T) {
	p := newPatient(t)
	r := p.talk(2)
	status, err := r.Core.Status(t.Context(), core.StatusQuery{All: true})
	p.must(err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for want, check := range map[string]func(e *examination){
		"sessions: attempts to publish an endpoint are unknown: ": func(e *examination) { e.checkAttempts(over, r, status) },
		"sessions: who speaks for which session is unknown: ":     func(e *examination) { e.checkOwners(over, r) },
		"sessions: cannot be listed: ":                            func(e *examination) { e.checkSessions(over, r) },
		"sessions: how long mail waits is unknown: ":              func(e *examination) { e.checkBacklog(over, r, status) },
		"clock: the times of the last events are unknown: ":       func(e *examination) { e.checkClock(over, r, status) },
		"store: leftovers could not be removed: ":                 func(e *examination) { e.sweep(over, r) },
		"store: could not be repaired: ": func(e *examination) {
			e.repair(over, r, fsstore.Report{Findings: []fsstore.Finding{{File: "state/x", Problem: "is gone", Derived: true}}})
		},
		"runtime: which generation runs is unknown: ": func(e *examination) {
			p.must(os.MkdirAll(layout.In(p.home).Dir, 0o700))
			p.must(os.WriteFile(layout.In(p.home).Control(), []byte("{"), 0o600))
			e.checkManaged(over)
		},
	} {
		e := &examination{Request: Request{Home: p.home, Now: time.Now()}}
		check(e)
		if !slices.ContainsFunc(e.Findings, func(f Finding) bool {
			return f.Level != OK && strings.HasPrefix(f.Subject+": "+f.Text, want) && f.Remedy != ""
		}) {
			t.Errorf("%q is not in %+v", want, e.Findings)
		}
	}
}

// TestEndpointOfAnEndedClient is stale: its process is gone, and nothing will vouch for it again.
func TestEndpointOfAnEndedClient(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	p := newPatient(t)
	r := p.talk(1)
	client := exec.Command(sleep, "600")
	p.must(client.Start())
	s, err := r.Core.OpenSession(t.Context(), core.OpenSession{
		ParticipantID: "cyd", ParticipantOf: protocol.Agent, Harness: "claude_code", Enforcement: protocol.Advisory, Lifecycle: protocol.Managed, Cadence: protocol.HookCadence, PID: client.Process.Pid,
	})
	p.must(err)
	p.must(r.Store.Ephemeral().PutBinding(t.Context(), protocol.DeliveryBinding{
		SessionID: s.SessionID, Generation: s.Generation, AdapterID: "claude_code", ClientVersion: "2.1.0", AvailableModes: []protocol.DeliveryMode{protocol.LivePush},
		LivePolicy: protocol.LiveAll, OpaqueEndpointRef: "x", LeaseUntil: time.Now().Add(time.Minute).UTC().Truncate(time.Millisecond),
	}))
	p.must(client.Process.Kill())
	_ = client.Wait()
	p.says(p.examine(false), "claude_code", "warn stale: an endpoint is published for cyd, whose session is not open; vouched for until -> ")
}

// TestStatusLineWithoutItsExecutable shows nothing.
func TestStatusLineWithoutItsExecutable(t *testing.T) {
	p := newPatient(t)
	for state, want := range map[adapter.IndicatorState]string{
		adapter.IndicatorOn: "ok its status line shows acc", adapter.IndicatorOther: "ok its status line shows something else than acc", adapter.IndicatorOff: "ok its status line does not show acc",
	} {
		p.clients = []adapter.Installer{said{Diagnosis: adapter.Diagnosis{Detection: adapter.Detection{Present: true}, Installed: true, Indicator: state}}}
		got := p.examine(false)
		p.says(got, "grok", want)
		if state == adapter.IndicatorOn {
			p.says(got, subjectRuntime, "fail "+filepath.Join(p.home.Bin(), layout.Executable("acc-indicator"))+" is missing, and a status line runs it -> acc install")
		} else if text := strings.Join(lines(got, subjectRuntime), "\n"); strings.Contains(text, "acc-indicator") {
			t.Error(text)
		}
	}
}

// TestEveryFaultIsProduced: the words of each fault that the sources name stand in a test or a story that wants them.
func TestEveryFaultIsProduced(t *testing.T) {
	var tests strings.Builder
	for _, pattern := range []string{"*_test.go", "../../cmd/acc/testdata/stories/*.txtar", "../../cmd/acc/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(data)
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	faults := 0
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			words, isFault := faultOf(n)
			if isFault {
				faults++
			}
			if words != "" && !strings.Contains(tests.String(), words) {
				t.Errorf("%s: no test and no story produces %q", file, words)
			}
			return true
		})
	}
	if faults < 60 {
		t.Errorf("only %d faults were found in the sources", faults)
	}
}

// faultOf gives the longest piece of text of a call that tells of a fault.
func faultOf(n ast.Node) (words string, isFault bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 3 {
		return "", false
	}
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	if name != "fail" && name != "warn" && name != "level" {
		return "", false
	}
	ast.Inspect(call.Args[1], func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			return true
		}
		for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == '%' }) {
			piece = strings.TrimLeft(piece, "sdqv04o")
			if len(piece) > len(words) {
				words = strings.TrimSpace(piece)
			}
		}
		return true
	})
	if len(words) < 8 {
		words = ""
	}
	return words, true
}
