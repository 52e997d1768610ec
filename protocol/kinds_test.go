package protocol_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/protocol"
)

// TestKindProblem states the whole table: what is not listed here as allowed is refused.
func TestKindProblem(t *testing.T) {
	type sent struct {
		kind        protocol.MessageKind
		obligation  protocol.Obligation
		room, reply bool
	}
	allowed := map[sent]bool{}
	for _, reply := range []bool{false, true} {
		for _, room := range []bool{false, true} {
			allowed[sent{"note", "none", room, reply}] = true
			allowed[sent{"decision", "none", room, reply}] = true
		}
		allowed[sent{"question", "reply", false, reply}] = true
		allowed[sent{"request", "reply", false, reply}] = true
		allowed[sent{"decision", "acknowledge", false, reply}] = true
		allowed[sent{"handoff", "acknowledge", false, reply}] = true
		allowed[sent{"handoff", "none", true, reply}] = true
	}
	allowed[sent{"answer", "none", false, true}] = true
	for _, kind := range []protocol.MessageKind{"note", "question", "request", "answer", "decision", "handoff", "status", ""} {
		for _, obligation := range []protocol.Obligation{"none", "acknowledge", "reply", ""} {
			for _, room := range []bool{false, true} {
				for _, reply := range []bool{false, true} {
					s := sent{kind, obligation, room, reply}
					member, problem := protocol.KindProblem(kind, obligation, room, reply)
					if (problem == "") != allowed[s] || (member == "") != (problem == "") {
						t.Errorf("%+v: %q %q, want allowed %v", s, member, problem, allowed[s])
					}
					if room && (kind == "question" || kind == "request" || kind == "answer" && reply) && member != "toParticipantIds" {
						t.Errorf("%+v: blames %s", s, member)
					}
				}
			}
		}
	}
}

func TestDefaultObligation(t *testing.T) {
	for _, c := range []struct {
		kind            protocol.MessageKind
		addressed, room protocol.Obligation
		send            bool
	}{
		{"note", "none", "none", true}, {"question", "reply", "", true}, {"request", "reply", "", true}, {"answer", "none", "", false},
		{"decision", "none", "none", true}, {"handoff", "acknowledge", "none", false}, {"other", "", "", false},
	} {
		if a, r := protocol.DefaultObligation(c.kind, false), protocol.DefaultObligation(c.kind, true); a != c.addressed || r != c.room {
			t.Errorf("%s: %q and %q", c.kind, a, r)
		}
		if protocol.Sendable(c.kind) != c.send {
			t.Errorf("%s: sendable %v", c.kind, !c.send)
		}
	}
}

func TestNudgeFor(t *testing.T) {
	for _, c := range []struct {
		kind          protocol.MessageKind
		subject, body string
		want          string
	}{
		{"note", "s", "b", ""},
		{"note", "may I?", "b", "question"},
		{"note", "s", "本当？", "question"},
		{"note", "s", "⚠ do not touch", "decision"},
		{"note", "⚠", "ok?", "decision"},
		{"question", "may I?", "?", ""},
	} {
		got := protocol.NudgeFor(c.kind, c.subject, c.body)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q %q: %q", c.kind, c.subject, c.body, got)
		}
	}
}

func TestAdvanceReceipt(t *testing.T) {
	then, now := time.UnixMilli(1000).UTC(), time.UnixMilli(2000).UTC()
	for i, from := range protocol.ReceiptStates {
		for j, to := range protocol.ReceiptStates {
			r := protocol.Receipt{MessageID: "m", RecipientParticipantID: "p", State: from, UpdatedAt: then}
			got, changed, err := protocol.AdvanceReceipt(r, to, now)
			want := r
			if j > i {
				want.State, want.UpdatedAt = to, now
			}
			if diff := cmp.Diff(want, got); diff != "" || changed != (j > i) {
				t.Errorf("%s to %s: changed %v\n%s", from, to, changed, diff)
			}
			if (err != nil) != (j < i) || err != nil && (protocol.CodeOf(err) != protocol.Conflict || protocol.ReasonOf(err) != protocol.ReasonReceiptBackward) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if from.AtLeast(to) != (i >= j) {
				t.Errorf("%s at least %s", from, to)
			}
		}
	}
	for _, c := range [][2]protocol.ReceiptState{{"seen", protocol.Offered}, {protocol.Queued, "failed"}, {"", ""}} {
		if _, changed, err := protocol.AdvanceReceipt(protocol.Receipt{State: c[0]}, c[1], now); changed || protocol.CodeOf(err) != protocol.Data {
			t.Errorf("%v: changed %v, %v", c, changed, err)
		}
	}
}

func TestReceiptsNeverMoveBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := protocol.Receipt{State: protocol.Queued}
		furthest := 0
		for at, step := range rapid.SliceOf(rapid.IntRange(0, 3)).Draw(t, "states") {
			next, changed, err := protocol.AdvanceReceipt(r, protocol.ReceiptStates[step], time.UnixMilli(int64(at)))
			if changed != (step > furthest) || (err != nil) != (step < furthest) {
				t.Fatalf("to %d from %d: changed %v, %v", step, furthest, changed, err)
			}
			furthest = max(furthest, step)
			if next.State != protocol.ReceiptStates[furthest] {
				t.Fatalf("state %s", next.State)
			}
			r = next
		}
	})
}

func TestSafeOfferFailure(t *testing.T) {
	for _, code := range protocol.OfferFailures {
		if protocol.SafeOfferFailure(string(code)) != code {
			t.Errorf("%s is not kept", code)
		}
	}
	for _, code := range []string{"", "EPIPE /tmp/secret.sock", "no_live_transport"} {
		if got := protocol.SafeOfferFailure(code); got != protocol.FailRejected {
			t.Errorf("%q became %s", code, got)
		}
	}
}
