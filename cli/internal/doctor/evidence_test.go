package doctor

import (
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// client is one that can be told to refuse a tool and to say something before a turn.
type client struct{}

func (client) Normalize(adapter.Call) (adapter.Event, error) { return adapter.Event{}, nil }
func (client) Deny(adapter.Event, string) (adapter.Output, error) {
	return adapter.Output{ExitCode: 2}, nil
}
func (client) Injects(e adapter.Event) bool                         { return e.Kind == adapter.BeforeTurn }
func (client) Inject(adapter.Event, string) (adapter.Output, error) { return adapter.Output{}, nil }

const refusesSince2 = `{"evidence":[{"client":"grok","version":"2.0.0","platform":"linux-x64","observedAt":"2026-11-30",` +
	`"capability":"guards.beforeWrite","fixture":"fixtures/a.json","provenance":"fixtures/p.json","provenanceId":"run","idleBehavior":"x",` +
	`"busyBehavior":"x","authorityLevel":"tool","limitations":[],"result":"pass"}]}`

// TestEvidence: what the client's version was seen to do is told apart from what nobody can rely on, and
// why.
func TestEvidence(t *testing.T) {
	a, err := adapter.New("grok", "Grok", client{}, adapter.WithEvidence("grok", []byte(refusesSince2), certification.GuardWrite, certification.NextTurn))
	if err != nil {
		t.Fatal(err)
	}
	const others = "attach, end of a session, messages within a turn, refused shell writes (the adapter does not do this)"
	for version, want := range map[string][]string{
		"2.1.0": {"ok proved with the real client (2.0.0 on linux-x64, 2026-11-30): refused edits", "ok not relied on: messages before a turn (nobody has seen this work)", "ok not relied on: " + others},
		"1.0.0": {"ok not relied on: messages before a turn (nobody has seen this work)", "ok not relied on: " + others,
			"ok not relied on: refused edits (the client is older than 2.0.0, the first version in which this was verified)"},
	} {
		e := &examination{Request: Request{Adapters: []*adapter.Adapter{a}, Now: time.Now()}}
		e.checkEvidence(&Client{AdapterID: "grok", Diagnosis: adapter.Diagnosis{Detection: adapter.Detection{Version: version}}})
		(&patient{T: t}).expect(lines(e.Report, "grok"), want...)
	}
	e := &examination{Request: Request{Now: time.Now()}}
	e.checkEvidence(&Client{AdapterID: "grok"})
	if len(e.Findings) != 0 {
		t.Errorf("said %v of an adapter that is not there", e.Findings)
	}
}
