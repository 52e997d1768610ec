package adaptertest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// T is what the kit needs of a test; *testing.T is one.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Kit is an adapter with its evidence.
type Kit struct {
	Adapter *adapter.Adapter
	// Dir holds the captures: files with the payload itself, or with the payload as the member "stdin"
	// beside the environment as the member "env". Every file must be named in Captures.
	Dir      string
	Captures []Capture
	// Foreign are payloads of other clients that the same command line can meet.
	Foreign []string
	// Private are the client's own names of members that hold what a person, a model or a tool wrote, beside
	// usual ones such as prompt, text and content: nothing of them may end in an event.
	Private []string
	// Answers is the response matrix: for every event kind that takes context and for every refusal at
	// least one row.
	Answers []Answer
}

// Capture is a recorded hook call and what it means.
type Capture struct {
	File string // in Dir
	Arg  string // event named on the command line, for clients that name it there
	// Want is what it means. Its Name may be left out: whether the adapter's is one that the client used
	// is checked anyway.
	Want adapter.Event
}

// Answer is what a client must be told in one case.
type Answer struct {
	Event adapter.Event
	// Exactly one of these is set.
	Context, Deny string
	Want          adapter.Output // the zero value: text is not said, because nobody would read it
}

// Run checks everything; it reports each fault and goes on.
func Run(t T, k Kit) {
	t.Helper()
	if len(k.Captures) == 0 || len(k.Answers) == 0 {
		t.Fatalf("%s: a kit without captures or without answers proves nothing", k.Adapter.ID())
	}
	k.complete(t)
	for _, c := range k.Captures {
		call, err := readCapture(filepath.Join(k.Dir, c.File))
		if err != nil {
			t.Fatalf("%s: %v", c.File, err)
		}
		call.Event = c.Arg
		k.capture(t, c, call)
		k.broken(t, c, call)
	}
	for i, payload := range k.Foreign {
		if _, err := k.Adapter.Normalize(adapter.Call{Payload: []byte(payload)}); !errors.Is(err, adapter.ErrNotOurs) {
			t.Errorf("foreign payload %d: %v, want ErrNotOurs", i, err)
		}
	}
	k.evidence(t)
	k.answers(t)
	k.silence(t)
	k.deadlines(t)
}

// evidence insists that every declared capability is proved, and that what proves it lies beside the
// adapter: the fixture, and the run in the provenance.
func (k Kit) evidence(t T) {
	t.Helper()
	if err := k.Adapter.CheckEvidence(); err != nil {
		t.Errorf("evidence: %v", err)
	}
	rows, err := k.Adapter.Evidence()
	if err != nil {
		t.Fatalf("evidence: %v", err)
	}
	root := filepath.Dir(k.Dir)
	for _, row := range rows {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(row.Fixture))); err != nil {
			t.Errorf("evidence of %s: %v", row.Capability, err)
		}
		provenance, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(row.Provenance)))
		if err != nil || !bytes.Contains(provenance, []byte(`"`+row.ProvenanceID+`"`)) {
			t.Errorf("evidence of %s: no run %s in %s (%v)", row.Capability, row.ProvenanceID, row.Provenance, err)
		}
	}
}

// complete insists that no capture lies around unused.
func (k Kit) complete(t T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(k.Dir, "*.json"))
	if err != nil {
		t.Fatalf("%s: %v", k.Dir, err)
	}
	for _, file := range files {
		if !slices.ContainsFunc(k.Captures, func(c Capture) bool { return c.File == filepath.Base(file) }) {
			t.Errorf("%s is captured and not checked", filepath.Base(file))
		}
	}
}

func readCapture(path string) (adapter.Call, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return adapter.Call{}, err
	}
	file, err := decodeCapture(data)
	if err != nil || file.stdin == nil {
		file.stdin = data
	}
	return adapter.Call{Payload: file.stdin, Env: func(name string) string { return file.env[name] }}, nil
}

// capture checks what one call means, that it means the same again, and that nothing private is in it.
func (k Kit) capture(t T, c Capture, call adapter.Call) {
	t.Helper()
	for range 2 {
		before := bytes.Clone(call.Payload)
		got, err := k.Adapter.Normalize(call)
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			return
		}
		if got.Name != "" && got.Name != c.Arg && !holds(call.Payload, got.Name) {
			t.Errorf("%s: the client calls no event %q", c.File, got.Name)
		}
		if diff := cmp.Diff(c.Want, named(got, c.Want)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.File, diff)
		}
		if !bytes.Equal(before, call.Payload) {
			t.Errorf("%s: the payload was changed", c.File)
		}
		for _, word := range words(got) {
			if name, found := k.privateIn(call.Payload, word); found {
				t.Errorf("%s: %q of %s survived", c.File, word, name)
			}
		}
	}
	open, err := k.Adapter.Normalize(adapter.Call{Event: call.Event, Payload: call.Payload, Env: func(string) string { return "/injected/by/the/environment" }})
	if err == nil && (open.SessionID != c.Want.SessionID || open.Cwd != c.Want.Cwd || !slices.Equal(open.Targets, c.Want.Targets)) {
		t.Errorf("%s: the environment decided whose call it is: %+v", c.File, open)
	}
}

// named is an event without its name if none is asked for.
func named(got, want adapter.Event) adapter.Event {
	if want.Name == "" {
		got.Name = ""
	}
	return got
}

// words are the texts of an event.
func words(e adapter.Event) []string {
	all := []string{e.Name, e.Model, e.Source, e.Reason, e.Tool, e.PermissionMode, e.AgentID, e.ParentSessionID, e.ClientVersion}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// broken damages a good payload in the ways that pipes, crashes and new versions do. It must be refused
// or read, never read as another conversation's.
func (k Kit) broken(t T, c Capture, call adapter.Call) {
	t.Helper()
	good := bytes.TrimSpace(call.Payload)
	damaged := map[string][]byte{
		"empty":         nil,
		"only a brace":  []byte("{"),
		"a list":        append(append([]byte{'['}, good...), ']'),
		"two of them":   append(slices.Clone(good), good...),
		"null":          []byte("null"),
		"byte order":    append([]byte("\xef\xbb\xbf"), good...),
		"no terminator": good[:len(good)-1],
	}
	for i := 1; i < 8; i++ {
		damaged["cut at "+string(rune('0'+i))+"/8"] = good[:len(good)*i/8]
	}
	for name, payload := range damaged {
		if e, err := k.Adapter.Normalize(adapter.Call{Event: call.Event, Payload: payload, Env: call.Env}); err == nil {
			t.Errorf("%s, %s: read as %+v", c.File, name, e)
		}
	}
	large := `{"added":"` + strings.Repeat("x", adapter.MaxPayloadBytes/2) + `",`
	for name, beginning := range map[string]string{
		"a member of a later version": `{"added_by_a_later_version":{"a":[1,null,"x"]},`,
		// A table without MaxBytes takes less than a model may write in one call.
		"half of the bytes that a payload may have": large,
	} {
		payload := append([]byte(beginning), good[1:]...)
		got, err := k.Adapter.Normalize(adapter.Call{Event: call.Event, Payload: payload, Env: call.Env})
		if err != nil || !cmp.Equal(named(got, c.Want), c.Want) {
			t.Errorf("%s with %s: %+v, %v", c.File, name, got, err)
		}
	}
}

// answers checks the response matrix and that it is whole.
func (k Kit) answers(t T) {
	t.Helper()
	context, denies := map[adapter.EventKind]bool{}, false
	for i, a := range k.Answers {
		var got adapter.Output
		var err error
		if a.Deny != "" {
			denies = true
			got, err = k.Adapter.Deny(a.Event, a.Deny)
		} else {
			context[a.Event.Kind] = context[a.Event.Kind] || len(a.Want.Stdout) > 0
			got, err = k.Adapter.Inject(a.Event, a.Context)
		}
		if err != nil {
			t.Errorf("answer %d: %v", i, err)
			continue
		}
		if string(got.Stdout) != string(a.Want.Stdout) || string(got.Stderr) != string(a.Want.Stderr) || got.ExitCode != a.Want.ExitCode {
			t.Errorf("answer %d: exit %d, stdout %q, stderr %q; want exit %d, stdout %q, stderr %q", i,
				got.ExitCode, got.Stdout, got.Stderr, a.Want.ExitCode, a.Want.Stdout, a.Want.Stderr)
		}
	}
	if k.Adapter.Denies() != denies {
		t.Errorf("the adapter denies: %v, the matrix shows a refusal: %v", k.Adapter.Denies(), denies)
	}
	for _, kind := range adapter.EventKinds {
		if injects := k.injects(kind); injects != context[kind] {
			t.Errorf("%s takes context: %v, the matrix shows it: %v", kind, injects, context[kind])
		}
	}
}

// injects says whether an event of a kind takes context, be it the session's own or a subagent's.
func (k Kit) injects(kind adapter.EventKind) bool {
	return k.Adapter.Injects(adapter.Event{Kind: kind}) || k.Adapter.Injects(adapter.Event{Kind: kind, AgentID: "a"})
}

// hostile are reasons and contexts that break shapes which are glued together.
var hostile = []string{`"quoted"`, `back\slash`, `{"decision":"allow"}`, "[acc] x", "<b>&amp;</b>", "ünï 世 🙂", "%s %d", "'single'", "$(rm -rf x)"}

// silence checks that nothing to say is no byte, that what cannot be heard is not said, and that a
// refusal refuses whatever its reason.
func (k Kit) silence(t T) {
	t.Helper()
	for _, kind := range adapter.EventKinds {
		e := adapter.Event{Kind: kind, SessionID: "s"}
		if out, err := k.Adapter.Inject(e, ""); err != nil || len(out.Stdout)+len(out.Stderr) != 0 || out.ExitCode != 0 {
			t.Errorf("%s without text: %+v, %v", kind, out, err)
		}
		for _, text := range hostile {
			out, err := k.Adapter.Inject(e, text+"\nsecond line\n")
			if err != nil || out.ExitCode != 0 || len(out.Stderr) != 0 {
				t.Errorf("%s with %q: %+v, %v", kind, text, out, err)
			}
			if says := len(out.Stdout) > 0; says != k.Adapter.Injects(e) {
				t.Errorf("%s with %q: said %q", kind, text, out.Stdout)
			}
			if structured(out.Stdout) && !holds(out.Stdout, text+"\nsecond line\n") {
				t.Errorf("%s with %q: the text is not in %q", kind, text, out.Stdout)
			}
		}
		out, err := k.Adapter.Deny(e, "a reason")
		if kind != adapter.BeforeTool && err == nil {
			t.Errorf("%s was refused: %+v", kind, out)
		}
	}
	if !k.Adapter.Denies() {
		return
	}
	for _, reason := range hostile {
		out, err := k.Adapter.Deny(adapter.Event{Kind: adapter.BeforeTool, SessionID: "s"}, reason)
		if err != nil {
			t.Errorf("refusal with %q: %v", reason, err)
			continue
		}
		if structured(out.Stdout) && !holds(out.Stdout, reason) || !structured(out.Stdout) && !strings.Contains(string(out.Stderr), reason) {
			t.Errorf("refusal with %q: the reason is not in %+v", reason, out)
		}
	}
	for _, reason := range []string{"", "two\nlines", "\x1b[31m"} {
		if out, err := k.Adapter.Deny(adapter.Event{Kind: adapter.BeforeTool, SessionID: "s"}, reason); err == nil {
			t.Errorf("refusal with the reason %q: %+v", reason, out)
		}
	}
}

// deadlines checks that a hook is done before any client gives up on it.
func (k Kit) deadlines(t T) {
	t.Helper()
	for _, kind := range adapter.EventKinds {
		if d := k.Adapter.Deadline(kind); d > adapter.DefaultDeadline {
			t.Errorf("%s may take %v; no hook of acc takes more than %v", kind, d, adapter.DefaultDeadline)
		}
	}
}
