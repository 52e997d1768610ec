package hookrunner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// Main runs one hook call of the current process and exits. It is the whole main function of
// acc-hook: `acc-hook ADAPTER [EVENT]`, the payload on standard input. It takes where the executable runs from and
// what a registry gives.
func Main(home Residence, adapters []*adapter.Adapter, err error) {
	started := time.Now()
	// A client may close its end of the pipe at any time; that is an error to be seen by Write, not a
	// signal to die of with a status that a client could take for an answer.
	signal.Ignore(syscall.SIGPIPE)
	if err != nil {
		complain(hasty{os.Stderr}, misbuilt)
		os.Exit(0)
	}
	var aside sync.WaitGroup
	var begun atomic.Bool // is anything done aside
	code := Run(Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: hasty{os.Stderr},
		Env: datahome.Installed(os.Getenv), Parent: os.Getppid(), Started: started, Residence: home,
		Aside: func(work func()) {
			begun.Store(true)
			aside.Go(func() {
				defer recovered(new(error))
				work()
			})
		},
	}, adapters...)
	if begun.Load() {
		finish(&aside)
	}
	os.Exit(code)
}

// asideTime is how long a process that is done gives what it does aside. Without it such work would be lost nearly
// always, and with it a slow disk holds no client.
const asideTime = 100 * time.Millisecond

// finish waits for what is done aside, but not for long.
func finish(aside *sync.WaitGroup) {
	within(asideTime, aside.Wait)
}

// Process is what a hook call is given by the operating system.
type Process struct {
	Args           []string // without the name of the executable
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            func(name string) string
	Parent         int // where the search for the client begins
	Started        time.Time
	Residence      Residence // nil: nothing decides which executable runs
	// Aside does work that nobody waits for long: the process may end before it does. nil: in a goroutine.
	Aside func(work func())
}

// Residence is the installation from which the executable runs. A session of a client may have to be answered by
// another executable of it than the one that was started.
type Residence interface {
	// Admit is asked once, as soon as it is known which session speaks and before anything of a room is looked
	// at. It may put another executable into the place of this process, which then reads payload again. An error
	// means that nothing of a room may be touched.
	Admit(adapterID, sessionID string, begins bool, payload []byte) error
	// Began and Ended tell that a session of a client begins, and that it is over.
	Began(adapterID, sessionID string, client process.Identity)
	Ended(adapterID, sessionID string)
}

// aside starts work that nobody waits for.
func (p Process) aside(work func()) {
	if p.Aside == nil {
		go work()
		return
	}
	p.Aside(work)
}

// grace is how long a call may go on after its deadline to notice that it has passed.
const grace = 100 * time.Millisecond

// Run does one hook call and gives its exit status. When the deadline of the event has passed it
// returns at once, whatever still blocks; the caller must then exit the process.
func Run(p Process, adapters ...*adapter.Adapter) int {
	a, event, advice := arguments(p.Args, adapters)
	if advice != "" {
		complain(p.Stderr, advice)
		return 0
	}
	r := &runner{process: p, adapter: a, stderr: p.Stderr}
	for _, peer := range adapters {
		if l := peer.Live(); l != nil {
			r.lives = append(r.lives, l)
		}
	}
	ctx, cancel := context.WithDeadline(context.Background(), p.Started.Add(a.LongestDeadline()))
	defer cancel()
	e, err := r.understand(ctx, event)
	switch {
	case errors.Is(err, adapter.ErrNotOurs):
		return 0
	case err != nil && e.Kind != adapter.BeforeTool:
		r.complain(adviceOf(err, unreadable))
		return 0
	}
	r.blind = err
	if !r.admitted(e) {
		return 0
	}
	return r.bounded(e)
}

// admitted asks whether this executable may answer the session.
func (r *runner) admitted(e adapter.Event) bool {
	if r.process.Residence == nil {
		return true
	}
	err := r.process.Residence.Admit(r.adapter.ID(), e.SessionID, e.Kind == adapter.SessionStart, r.payload)
	if err != nil {
		r.complain(adviceOf(err, uninhabitable))
	}
	return err == nil
}

// arguments picks the adapter.
func arguments(args []string, adapters []*adapter.Adapter) (a *adapter.Adapter, event string, advice string) {
	if len(args) == 0 || len(args) > 2 {
		return nil, "", misused
	}
	if args[0] == "--help" || args[0] == "-h" {
		return nil, "", misused + known(adapters)
	}
	for _, a := range adapters {
		if a.ID() != args[0] {
			continue
		}
		if len(args) == 2 {
			event = args[1]
		}
		return a, event, ""
	}
	return nil, "", unknownAdapter + known(adapters)
}

// known names the adapters of this build: a person looks for the one to type.
func known(adapters []*adapter.Adapter) string {
	ids := make([]string, len(adapters))
	for i, a := range adapters {
		ids[i] = a.ID()
	}
	return "; adapters: " + strings.Join(ids, ", ")
}

// runner is the state of one hook call.
type runner struct {
	process Process
	adapter *adapter.Adapter
	lives   []*adapter.Live // of every adapter: peers are reached through theirs
	payload []byte          // as it was read
	blind   error           // why the files that a tool is about to write cannot be told; nil: they are

	mu         sync.Mutex // guards what the watchdog and the call share
	stderr     io.Writer
	complained bool
	written    bool         // the answer went out; the exit status is status
	concluded  bool         // what went wrong was said, and what is to be noted is known
	outcome    GuardOutcome // of a write, once its claims were checked
	files      *ownerFiles  // of the conversation, once its room is known
	sessionID  string       // of the conversation, once its owner pair is known
	status     int
}

// understand takes the payload in and asks the adapter what it means. A client that keeps the pipe
// open, and a vendor's code that does not return, are left behind at the deadline.
func (r *runner) understand(ctx context.Context, event string) (adapter.Event, error) {
	type result struct {
		event adapter.Event
		err   error
	}
	done := make(chan result, 1)
	go func() {
		e, err := r.normalize(event)
		done <- result{e, err}
	}()
	select {
	case got := <-done:
		return got.event, got.err
	case <-ctx.Done():
		return adapter.Event{}, ctx.Err()
	}
}

// normalize runs a vendor's code; if that panics, the call is one that cannot be read: a crash would end
// with the very status that some clients take for a refusal.
func (r *runner) normalize(event string) (e adapter.Event, err error) {
	defer recovered(&err)
	payload, err := hookkit.ReadPayload(r.process.Stdin)
	if err != nil {
		return adapter.Event{}, err
	}
	r.payload = payload
	return r.adapter.Normalize(adapter.Call{Event: event, Payload: payload, Env: r.process.Env})
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if recover() != nil {
		*err = errPanic
	}
}

var errPanic = errors.New("a panic")

// bounded handles an event within its deadline and notes that it did. The work runs beside a watchdog, because a file
// system can block a system call in a way that no context ends; who is blocked in the note has been answered.
func (r *runner) bounded(e adapter.Event) int {
	ctx, cancel := context.WithDeadline(context.Background(), r.process.Started.Add(r.adapter.Deadline(e.Kind)))
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.conclude(e, r.handled(ctx, e))()
	}()
	select {
	case <-done:
		return r.exit()
	case <-ctx.Done():
	}
	if !within(grace, func() { <-done }) {
		within(grace, r.conclude(e, context.DeadlineExceeded))
	}
	return r.exit()
}

// hasty is a writer that nobody waits for long. A client that does not read what is written to standard error must
// not hold the hook, which writes there under the lock that its watchdog waits for.
type hasty struct{ io.Writer }

// Write implements io.Writer.
func (w hasty) Write(p []byte) (n int, err error) {
	data := bytes.Clone(p)
	var written int
	var failed error
	if !within(grace, func() { written, failed = w.Writer.Write(data) }) {
		return 0, os.ErrDeadlineExceeded
	}
	return written, failed
}

// within does work beside the caller and says whether it was done in time; what was not goes on.
func within(patience time.Duration, work func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); work() }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// exit is the exit status of the call.
func (r *runner) exit() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.written {
		return r.status
	}
	return 0
}

// conclude says what went wrong, if anything did, and gives what is left to note. Only the first of the worker and
// the watchdog concludes.
func (r *runner) conclude(e adapter.Event, err error) (note func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.concluded {
		return func() {}
	}
	r.concluded = true
	switch {
	case err == nil:
	case e.Kind == adapter.BeforeTool && (len(e.Targets) > 0 || r.blind != nil) && r.outcome == "":
		r.complainLocked(unguarded)
		r.outcome = GuardUndecided
	default:
		r.complainLocked(adviceOf(err, failed))
	}
	if r.files == nil {
		return func() {} // a conversation that is in no room leaves nothing anywhere
	}
	files, sessionID, outcome := *r.files, r.sessionID, r.outcome
	fired := Firing{Event: cmp.Or(e.Name, string(e.Kind)), At: r.process.Started, Took: time.Since(r.process.Started)}
	return func() { files.fired(sessionID, fired, outcome) }
}

func (r *runner) handled(ctx context.Context, e adapter.Event) (err error) {
	defer recovered(&err)
	return newCall(r, e).handle(ctx)
}

// answer writes the client's answer, if there is any. It reports whether anything was written: only
// then may it be said that something was offered.
func (r *runner) answer(out adapter.Output) (written bool, err error) {
	if len(out.Stdout) > 0 {
		if _, err := r.process.Stdout.Write(out.Stdout); err != nil {
			return false, errAnswer
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.concluded {
		return false, errAnswer // the watchdog has said already what became of the call
	}
	if len(out.Stderr) > 0 {
		if _, err := r.stderr.Write(out.Stderr); err != nil {
			return false, errAnswer
		}
		r.complained = true // the client takes the first line for the reason
	}
	r.written, r.status = true, out.ExitCode
	return len(out.Stdout) > 0 || len(out.Stderr) > 0, nil
}

// errAnswer says that the client did not take the answer.
var errAnswer = errors.New("the client closed the pipe")

// complain writes the one diagnostic line of this call; later ones are dropped.
func (r *runner) complain(advice string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.complainLocked(advice)
}

func (r *runner) complainLocked(advice string) {
	if r.complained || advice == "" {
		return
	}
	r.complained = true
	complain(r.stderr, advice)
}

func complain(w io.Writer, advice string) {
	var line bytes.Buffer
	line.WriteString("acc-hook: " + advice + "\n")
	_, _ = w.Write(line.Bytes())
}
