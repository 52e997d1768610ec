package echo

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/examples/adapter-echo/live"
)

var record = flag.Bool("record", false, "write the captures and the evidence instead of comparing them")

// TestMain lets this program be the hook that the client starts.
func TestMain(m *testing.M) {
	if dir := os.Getenv(probeVariable); dir != "" {
		if err := probe(dir); err != nil {
			fmt.Fprintln(os.Stderr, "probe:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestEvidence tries every capability that the adapter declares with the real client and the answers that
// the adapter really renders, and holds what came of it against the evidence on file.
func TestEvidence(t *testing.T) {
	s := newStage(t)
	s.say("prompt hello")
	s.say("write free.txt text")
	s.say("write held.txt text")
	s.say("shell echo text >held.txt")
	s.say("stop")
	offered := s.offer()
	var woken string
	if offered == nil {
		woken = s.say("listen 10")
	}
	s.end()
	if offered != nil {
		t.Log(offered)
	}

	_, missing := os.Stat(s.path("project/held.txt"))
	written, _ := os.ReadFile(s.path("project/free.txt"))
	shown := s.transcript()
	var findings []adaptertest.Finding
	found := func(c certification.Capability, passed bool, saw, idle, busy string) {
		findings = append(findings, adaptertest.Finding{Capability: c, Passed: passed, Saw: saw, Transcript: s.lines, Idle: idle, Busy: busy})
	}
	found(certification.SessionStart, s.called("start"),
		"the hook of a session's start was called before anything else", "the session is open from its start on", "the session stays open")
	found(certification.SessionEnd, s.called("end"),
		"the hook of a session's end was called when the client's input ended", "the end is said", "the end waits for the turn")
	found(certification.StartupContext, strings.Contains(shown, "context| at start"),
		"text of the start hook was read by the model", "read at the start", "does not occur")
	found(certification.TurnContext, strings.Contains(shown, "context| at prompt"),
		"text of the prompt hook was read by the model with the prompt", "with the next turn", "with the next turn")
	found(certification.NextTurn, strings.Contains(shown, "context| at prompt"),
		"text of the prompt hook was read by the model with the prompt", "with the next turn", "with the next turn")
	found(certification.SafePoint, strings.Contains(shown, "context| at result"),
		"text of the result hook was read by the model within the turn", "does not occur", "with the result of a tool")
	found(certification.GuardWrite, os.IsNotExist(missing) && string(written) == "text\n" && strings.Count(shown, "refused: held") == 2,
		"a refused write left no file, a write that nobody refused was made", "does not occur", "before the tool runs")
	found(certification.GuardShell, os.IsNotExist(missing) && strings.Count(shown, "refused: held") == 2,
		"a refused command left no file", "does not occur", "before the tool runs")
	if runtime.GOOS != "windows" { // the client has no inbox there: nothing was tried
		found(certification.LivePush, strings.Contains(woken, "[acc wake]") && strings.Contains(woken, "offered body"),
			"a message that was handed over began a turn", "a turn begins", "waits for the end of the turn")
	}
	if *record {
		s.capture()
		s.trial().Record(t, findings)
	}
	s.trial().Compare(t, findings)
	s.captured()
}

// offer hands a message to the session through the endpoint that the probe bound, as acc's router does.
func (s *stage) offer() error {
	s.Helper()
	ref, err := os.ReadFile(s.path("probe/endpoint"))
	if err != nil {
		return err
	}
	l, err := live.New()
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := contextFor(5 * time.Second)
	defer cancel()
	at := adapter.Endpoint{Ref: string(ref), GenerationRef: generation}
	if h := l.Refresh(ctx, vault(s.path("probe")), at); h.Reason != adapter.NativeOK {
		return fmt.Errorf("refresh: %s", h.Reason)
	}
	if h := l.Refresh(ctx, vault(s.path("probe")), adapter.Endpoint{Ref: at.Ref, GenerationRef: "another"}); h.Reason != adapter.NativeGenerationStale {
		s.Errorf("another generation's endpoint: %q", h.Reason)
	}
	answer := l.Offer(ctx, vault(s.path("probe")), at, adapter.Offer{MessageID: "message_1", Text: "offered body"})
	if answer.State != adapter.OfferAccepted {
		return fmt.Errorf("offer: %+v", answer)
	}
	return nil
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }
