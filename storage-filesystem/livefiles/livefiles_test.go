package livefiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

var start = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

const expires = 2 * time.Minute

func places(t *testing.T) (*Ledger, datahome.Home) {
	t.Helper()
	home := datahome.Home{Root: t.TempDir()}
	return NewLedger(home, home.Workspace("workspace_x")), home
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFlights: one wake at a time, each message once, and a lost wake again.
func TestFlights(t *testing.T) {
	l, _ := places(t)
	begin := func(message string, after time.Duration) string {
		t.Helper()
		inFlight, spent, err := l.BeginWake("session_1", "ref", message, start.Add(after), expires)
		must(t, err)
		return map[[2]bool]string{{false, false}: "free", {true, false}: "in flight", {false, true}: "spent"}[[2]bool{inFlight, spent}]
	}
	end := func() { t.Helper(); must(t, l.EndWake("session_1", "ref")) }
	steps := []struct {
		what string
		got  func() string
		want string
	}{
		{"the first", func() string { return begin("m1", 0) }, "free"},
		{"itself", func() string { return begin("m1", time.Second) }, "in flight"},
		{"another", func() string { return begin("m2", expires-time.Millisecond) }, "in flight"},
		{"after a hook, itself", func() string { end(); return begin("m1", time.Second) }, "spent"},
		{"after a hook, another", func() string { return begin("m2", time.Second) }, "free"},
		{"a lost one, itself", func() string { return begin("m2", time.Second+expires) }, "free"},
		{"a lost one, another", func() string { return begin("m3", time.Second+2*expires) }, "free"},
		{"what was lost before another", func() string { return begin("m2", time.Second+3*expires) }, "spent"},
		{"cancelled", func() string {
			begin("m4", time.Hour)
			must(t, l.CancelWake("session_1", "ref", "m4"))
			return begin("m4", time.Hour)
		}, "free"},
		{"a clock set back", func() string { return begin("m5", 0) }, "free"},
		{"forgotten", func() string { must(t, l.Forget("session_1", "ref")); return begin("m1", 0) }, "free"},
	}
	for _, s := range steps {
		if got := s.got(); got != s.want {
			t.Errorf("%s: %s, want %s", s.what, got, s.want)
		}
	}
	if inFlight, spent, err := l.BeginWake("session_1", "other", "m1", start, expires); inFlight || spent || err != nil {
		t.Errorf("another generation: %v %v %v", inFlight, spent, err)
	}
	must(t, os.WriteFile(l.file("flight", "session_1.ref"), []byte("{"), 0o600))
	if got := begin("m6", time.Hour); got != "free" {
		t.Errorf("over a torn file: %s", got)
	}
	for i := range 3 * maxWoken {
		end()
		begin(fmt.Sprintf("n%d", i), time.Hour)
	}
	if n := len(l.list("woken", "session_1.ref")); n != maxWoken {
		t.Errorf("%d messages are remembered", n)
	}
}

// TestOneOfManyWakes: of several senders at once exactly one holds the claim, also when what they find there was
// lost.
func TestOneOfManyWakes(t *testing.T) {
	l, _ := places(t)
	now := start
	for round := range 200 {
		if round%2 == 0 {
			must(t, l.EndWake("session_1", "ref"))
		}
		now = now.Add(expires)
		var free atomic.Int32
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				inFlight, spent, err := l.BeginWake("session_1", "ref", fmt.Sprintf("m%d.%d", round, i), now, expires)
				if err != nil {
					t.Error(err)
				}
				if !inFlight && !spent {
					free.Add(1)
				}
			})
		}
		group.Wait()
		if free.Load() != 1 {
			t.Fatalf("round %d: %d senders wake at once", round, free.Load())
		}
	}
}

// TestExchanges counts both directions and begins again with a person's turn of either side.
func TestExchanges(t *testing.T) {
	l, _ := places(t)
	check := func(what, a, b string, want int) {
		t.Helper()
		if got, err := l.Exchanges(a, b); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", what, got, err, want)
		}
	}
	check("nothing", "ada", "bob", 0)
	must(t, l.HumanTurn("ada"))
	for range 3 {
		must(t, l.CountExchange("ada", "bob"))
		must(t, l.CountExchange("bob", "ada"))
	}
	must(t, l.CountExchange("ada", "eve"))
	check("both ways", "ada", "bob", 6)
	check("the other way round", "bob", "ada", 6)
	check("another pair", "eve", "ada", 1)
	must(t, l.HumanTurn("bob"))
	check("after a person with bob", "ada", "bob", 0)
	check("which says nothing of eve", "ada", "eve", 1)
	must(t, l.CountExchange("bob", "ada"))
	check("counted again", "ada", "bob", 1)
	must(t, os.WriteFile(l.file("turn", hashed("bob")), []byte("{"), 0o600))
	if _, err := l.Exchanges("ada", "bob"); err == nil {
		t.Error("a count that cannot be read was read")
	}
}

func TestDenied(t *testing.T) {
	l, _ := places(t)
	for i := range maxDenied + 5 {
		must(t, l.Deny("ada", fmt.Sprintf("m%02d", i)))
	}
	must(t, l.Deny("ada", "m10"))
	ids, err := l.Denied("ada")
	if err != nil || len(ids) != maxDenied || ids[0] != "m05" || ids[maxDenied-1] != "m36" {
		t.Errorf("%v, %v", ids, err)
	}
	must(t, l.DropDenied("ada", ids[1:]))
	if ids, _ := l.Denied("ada"); !cmp.Equal(ids, []string{"m05"}) {
		t.Errorf("left: %v", ids)
	}
	must(t, l.DropDenied("ada", ids))
	if ids, _ := l.Denied("ada"); len(ids) != 0 {
		t.Errorf("left: %v", ids)
	}
}

func TestAttempts(t *testing.T) {
	l, _ := places(t)
	if reason, option := l.Attempt("session_1", "ref"); reason != "" || option != "" {
		t.Errorf("before any: %q %q", reason, option)
	}
	want := Attempt{At: start, Event: "beforeTurn", Reason: "client_session_embedded", Policy: protocol.LiveActionable, LaunchOption: "--no-daemon"}
	must(t, l.RecordAttempt("session_1", "ref", want))
	got, found := l.LastAttempt("session_1", "ref")
	if diff := cmp.Diff(want, got); diff != "" || !found {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if reason, option := l.Attempt("session_1", "ref"); reason != want.Reason || option != want.LaunchOption {
		t.Errorf("%q %q", reason, option)
	}
	newer := want
	newer.At, newer.Reason = want.At.Add(time.Minute), ""
	must(t, l.RecordAttempt("session_1", "next", newer))
	must(t, l.RecordAttempt("session_2", "ref", want))
	must(t, os.WriteFile(l.file("attempt", "session_3.ref"), []byte("{"), 0o600))
	all, unreadable, err := l.Attempts()
	must(t, err)
	if diff := cmp.Diff([]SessionAttempt{{"session_1", newer}, {"session_2", want}}, all); diff != "" || unreadable != 1 {
		t.Errorf("%d unreadable (-want +got):\n%s", unreadable, diff)
	}
}

// TestVault: records stay where references cannot lead elsewhere.
func TestVault(t *testing.T) {
	_, home := places(t)
	v := NewVault(home)
	if _, err := v.Record("claude_inbox_0"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	must(t, v.Drop("claude_inbox_0"))
	must(t, v.Keep("claude_inbox_0", []byte("secret")))
	if got, err := v.Record("claude_inbox_0"); string(got) != "secret" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	path := filepath.Join(home.Acc(), "live-endpoints", "claude_inbox_0.json")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for _, id := range []string{"", "..", "../workspaces/x", "a/b", `a\b`, strings.Repeat("a", maxEndpointID+1)} {
		_, err := v.Record(id)
		if protocol.CodeOf(err) != protocol.Data || errors.Is(err, fs.ErrNotExist) || v.Keep(id, nil) == nil || v.Drop(id) == nil {
			t.Errorf("%q is a reference: %v", id, err)
		}
	}
	if v.Keep("claude_inbox_0", make([]byte, maxFile+1)) == nil {
		t.Error("a record of any length is kept")
	}
	must(t, v.Drop("claude_inbox_0"))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dropped: %v", err)
	}
}

// TestPolicies: off until it is chosen, and whatever cannot be read is an error.
func TestPolicies(t *testing.T) {
	_, home := places(t)
	p := NewPolicies(home)
	if got, err := p.LivePolicy("tool"); got != protocol.LiveOff || err != nil {
		t.Errorf("nothing recorded: %q, %v", got, err)
	}
	must(t, p.SetLivePolicy("tool", protocol.LiveAll))
	must(t, p.SetLivePolicy("other", protocol.LiveOff))
	must(t, p.SetLivePolicy("tool", protocol.LiveActionable))
	if got, err := p.LivePolicy("tool"); got != protocol.LiveActionable || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	decided, err := p.Decided()
	if diff := cmp.Diff(map[string]protocol.LivePolicy{"tool": protocol.LiveActionable, "other": protocol.LiveOff}, decided); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if p.SetLivePolicy("tool", "loud") == nil {
		t.Error("any word is a policy")
	}
	must(t, os.WriteFile(filepath.Join(home.Acc(), "delivery.json"), []byte(`{"schemaVersion":1,"clients":[{"adapterId":"tool","livePolicy":"loud"}]}`), 0o600))
	if got, err := p.LivePolicy("tool"); got != protocol.LiveOff || err == nil {
		t.Errorf("an unknown choice: %q, %v", got, err)
	}
	if p.SetLivePolicy("tool", protocol.LiveOff) == nil {
		t.Error("a record that cannot be read was overwritten")
	}
}

// TestSweep: what a killed session left goes after a week, and nothing sooner.
func TestSweep(t *testing.T) {
	l, _ := places(t)
	ids := []string{"killed", "idle"}
	for _, id := range ids {
		_, _, err := l.BeginWake(id, "ref", "message", start, expires)
		must(t, err)
		must(t, l.RecordAttempt(id, "ref", Attempt{At: start, Event: "sessionStart", Policy: protocol.LiveAll}))
		must(t, l.Deny(id, "message"))
	}
	now := time.Now()
	age := func(id string, by time.Duration) {
		t.Helper()
		for _, path := range []string{l.file("flight", id+".ref"), l.file("woken", id+".ref"), l.file("attempt", id+".ref"), l.file("denied", hashed(id))} {
			must(t, os.Chtimes(path, now.Add(-by), now.Add(-by)))
		}
	}
	left := func() (names []string) {
		t.Helper()
		for _, id := range ids {
			if _, found := l.LastAttempt(id, "ref"); found {
				names = append(names, id)
			}
		}
		return names
	}
	age("killed", leftoverAge+time.Minute)
	age("idle", leftoverAge-time.Minute)
	for _, want := range []int{2, 2, 0} {
		removed, err := l.Sweep(now, 2)
		must(t, err)
		if removed != want {
			t.Errorf("removed %d, want %d", removed, want)
		}
	}
	if got := left(); len(got) != 1 || got[0] != "idle" {
		t.Errorf("left are %q", got)
	}

	age("idle", leftoverAge+time.Minute)
	must(t, l.SweepDue(now))
	if got := left(); len(got) != 0 {
		t.Errorf("a sweep was due and left %q", got)
	}
	must(t, l.RecordAttempt("idle", "ref", Attempt{At: start, Event: "sessionStart", Policy: protocol.LiveAll}))
	old := now.Add(-leftoverAge)
	must(t, os.Chtimes(l.file("attempt", "idle.ref"), old, old))
	must(t, l.SweepDue(now.Add(sweepEvery-time.Minute)))
	if got := left(); len(got) != 1 {
		t.Errorf("swept twice a day, left %q", got)
	}
	must(t, l.SweepDue(now.Add(sweepEvery+time.Minute)))
	if got := left(); len(got) != 0 {
		t.Errorf("not swept the next day, left %q", got)
	}
}
