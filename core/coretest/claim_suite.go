package coretest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

func claimModes(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	for _, c := range []struct {
		name         string
		held, wanted protocol.ClaimMode
		on, asked    string
		conflict     bool
	}{
		{"exclusive against exclusive", protocol.Exclusive, protocol.Exclusive, "file:a", "file:a", true},
		{"shared against exclusive", protocol.Shared, protocol.Exclusive, "file:b", "file:b", true},
		{"exclusive against shared", protocol.Exclusive, protocol.Shared, "file:c", "file:c", true},
		{"shared against shared", protocol.Shared, protocol.Shared, "file:d", "file:d", false},
		{"below a directory", protocol.Exclusive, protocol.Exclusive, "file:e/**", "file:e/x/y", true},
		{"above a file", protocol.Exclusive, protocol.Exclusive, "file:f/x/y", "file:f/**", true},
		{"directory in directory", protocol.Exclusive, protocol.Exclusive, "file:g/**", "file:g/h/**", true},
		{"directory around directory", protocol.Exclusive, protocol.Exclusive, "file:i/j/**", "file:i/**", true},
		{"a neighbour", protocol.Exclusive, protocol.Exclusive, "file:k/**", "file:kk/x", false},
		{"another spelling", protocol.Exclusive, protocol.Exclusive, "file:l/m", "file:./l//x/../m", true},
		{"the default is exclusive", "", "", "file:n", "file:n", true},
	} {
		if _, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: c.on, Mode: c.held}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: c.asked, Mode: c.wanted})
		if c.conflict {
			r.refused(c.name, err, protocol.Conflict, protocol.ReasonClaimConflict)
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	own, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:e/x"})
	if err != nil || own.Renewed {
		t.Errorf("a claim inside one's own: %+v, %v", own, err)
	}
}

func claimRenewal(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	bob := r.open("bob")
	first := r.claim(ada, "file:a")
	r.clock.Advance(10 * time.Minute)
	since := r.position().LastSequence
	again, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:./a", Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	want := first.Claim
	want.Enforcement, want.Reason, want.ExpiresAt, want.Generation = protocol.Advisory, "no reason given", r.clock.Now().Add(time.Hour), again.Claim.Generation
	if diff := cmp.Diff(want, again.Claim); diff != "" || !again.Renewed {
		t.Errorf("renewed %v (-want +got):\n%s", again.Renewed, diff)
	}
	if again.Claim.Generation == first.Claim.Generation {
		t.Error("a renewal keeps the generation")
	}
	r.tell(since, called(ada), "claim.renewed by ada")
	if _, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:s", Mode: protocol.Shared}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: "file:s", Mode: protocol.Shared}); err != nil {
		t.Fatal(err)
	}
	_, err = r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:s", Mode: protocol.Exclusive})
	r.refused("widening a shared claim that others share", err, protocol.Conflict, protocol.ReasonClaimConflict)
}

func claimExpiry(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	r.claim(ada, "file:a")
	r.clock.Advance(protocol.DefaultLease - time.Millisecond)
	_, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: "file:a"})
	r.refused("a millisecond before the end", err, protocol.Conflict, protocol.ReasonClaimConflict)
	r.clock.Advance(time.Millisecond)
	if d, err := r.core.Guard(r.ctx, bob.Owner, []string{"file:a"}); err != nil || d.Denied {
		t.Errorf("the guard denies for an expired claim: %+v, %v", d, err)
	}
	if _, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: "file:a"}); err != nil {
		t.Errorf("an expired claim still holds: %v", err)
	}
	_, err = r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:a"})
	r.refused("renewing what another session holds now", err, protocol.Conflict, protocol.ReasonClaimConflict)
	denied := func(a actor) bool {
		t.Helper()
		d, err := r.core.Guard(r.ctx, a.Owner, []string{"file:a"})
		if err != nil {
			t.Fatal(err)
		}
		return d.Denied
	}
	r.clock.Advance(-time.Minute)
	if denied(bob) {
		t.Error("the clock was set back and the first claim holds again, beside the second")
	}
	if _, err := r.core.Release(r.ctx, bob.Owner, core.ReleaseRequest{Resource: "file:a"}); err != nil {
		t.Fatal(err)
	}
	if got := r.claim(ada, "file:a"); !got.Renewed || !denied(bob) {
		t.Errorf("renewed after its end: %+v, holds %v", got, denied(bob))
	}
}

// claimsOfTheGone: an expired claim that is taken over leaves the record when nobody can be told.
func claimsOfTheGone(t *testing.T, r *roomTest) {
	ada, bob := r.openAs(core.OpenSession{ParticipantID: "ada", Harness: "tool", PID: 7}), r.open("bob")
	held := r.claim(ada, "file:a/b").Claim
	expired := func() int {
		t.Helper()
		status, err := r.core.Status(r.ctx, core.StatusQuery{Owner: &ada.Owner})
		if err != nil {
			t.Fatal(err)
		}
		return len(status.Attention)
	}
	r.clock.Advance(protocol.DefaultLease)
	r.processes.Set(7, core.ProcessAlive)
	since := r.position().LastSequence
	r.claim(bob, "file:a/**")
	r.tell(since, called(ada, bob), "claim.acquired by bob")
	if expired() != 1 {
		t.Error("the owner of an expired claim that was taken over is not told")
	}
	r.processes.Set(7, core.ProcessDead)
	since = r.position().LastSequence
	r.claim(bob, "file:a/b")
	r.tell(since, called(ada, bob), "claim.force_released by bob", "claim.acquired by bob")
	if expired() != 0 {
		t.Errorf("claim %s is still on record", held.ClaimID)
	}
}

func claimConflictDetails(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	held := r.claim(ada, "file:src/**").Claim
	r.clock.Advance(10 * time.Minute)
	since := r.position()
	_, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: "file:src/a"})
	e := r.refused("a covered file", err, protocol.Conflict, protocol.ReasonClaimConflict)
	want := map[string]any{
		"claimId": held.ClaimID, "resource": "file:src/**", "ownerSessionId": ada.SessionID, "ownerParticipantId": "ada",
		"ownerPresence": "stale", "expiresAt": held.ExpiresAt, "requestedBy": bob.SessionID,
	}
	if diff := cmp.Diff(want, e.Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if r.position() != since {
		t.Error("a refused claim wrote something")
	}
}

func releases(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	release := func(a actor, req core.ReleaseRequest) (protocol.Claim, error) {
		return r.core.Release(r.ctx, a.Owner, req)
	}
	first := r.claim(ada, "file:a").Claim
	_, err := release(bob, core.ReleaseRequest{ClaimID: first.ClaimID})
	r.refused("another session's claim", err, protocol.Conflict, protocol.ReasonClaimConflict)
	_, err = release(bob, core.ReleaseRequest{ClaimID: first.ClaimID, Authority: protocol.AuthorityHuman})
	r.refused("an authority without a reason", err, protocol.Usage, "")
	_, err = release(bob, core.ReleaseRequest{ClaimID: first.ClaimID, Authority: "me", Reason: "now"})
	r.refused("an unknown authority", err, protocol.Usage, "")
	_, err = release(bob, core.ReleaseRequest{})
	r.refused("no name", err, protocol.Usage, "")
	_, err = release(bob, core.ReleaseRequest{ClaimID: first.ClaimID, Resource: "file:a"})
	r.refused("two names", err, protocol.Usage, "")
	_, err = release(bob, core.ReleaseRequest{ClaimID: "claim_none"})
	r.refused("no such claim", err, protocol.Data, protocol.ReasonNotFound)

	since := r.position().LastSequence
	got, err := release(ada, core.ReleaseRequest{Resource: "file:./a"})
	if err != nil || got.ClaimID != first.ClaimID || got.Generation != "" {
		t.Errorf("releasing by resource: %+v, %v", got, err)
	}
	_, err = release(ada, core.ReleaseRequest{Resource: "file:a"})
	r.refused("releasing twice", err, protocol.Data, protocol.ReasonNotFound)

	second := r.claim(ada, "file:b").Claim
	got, err = release(bob, core.ReleaseRequest{Resource: "file:b", Authority: protocol.AuthorityHuman, Reason: "ada is gone"})
	if err != nil || got.ClaimID != second.ClaimID {
		t.Errorf("releasing by authority: %+v, %v", got, err)
	}
	r.tell(since, called(ada, bob), "claim.released by ada", "claim.acquired by ada", "claim.force_released by bob")
	events := r.journal()
	payload, err := protocol.DecodePayload(events[len(events)-1])
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.ClaimForceReleasedPayload{
		ClaimID: second.ClaimID, Authority: protocol.AuthorityHuman, Reason: "ada is gone", ReplacedGenerationRef: protocol.GenerationRef(second.Generation),
	}
	if diff := cmp.Diff(protocol.EventPayload(want), payload); diff != "" {
		t.Errorf("payload (-want +got):\n%s", diff)
	}

	for _, a := range []actor{ada, bob} {
		if _, err := r.core.Claim(r.ctx, a.Owner, core.ClaimRequest{Resource: "file:s", Mode: protocol.Shared}); err != nil {
			t.Fatal(err)
		}
	}
	cyd := r.open("cyd")
	_, err = release(cyd, core.ReleaseRequest{Resource: "file:s", Authority: protocol.AuthorityPolicy, Reason: "cleaning"})
	r.refused("one of several by resource", err, protocol.Usage, "")
	got, err = release(bob, core.ReleaseRequest{Resource: "file:s"})
	if err != nil || got.OwnerSessionID != bob.SessionID {
		t.Errorf("one's own among several: %+v, %v", got, err)
	}
}

func badClaims(t *testing.T, r *roomTest) {
	ada := r.open("ada")
	r.open("bob")
	r.unchanged("bad claims", func() {
		for _, resource := range []string{"src/a.go", "file:src/", "file:*.go", "file:a/**/b", "file:."} {
			_, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: resource})
			r.refused(resource, err, protocol.Usage, "")
		}
		for _, lease := range []time.Duration{-time.Second, protocol.MaxClaimLease + 1} {
			_, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:a", Lease: lease})
			r.refused(lease.String(), err, protocol.Usage, "")
		}
		_, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:a", Mode: "mine"})
		r.refused("an unknown mode", err, protocol.Data, "")
	})
}

func guarding(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	guarded := r.claim(ada, "file:src/**").Claim
	if _, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:docs/**", Enforcement: protocol.Advisory}); err != nil {
		t.Fatal(err)
	}
	check := func(a actor, want core.GuardDecision, targets ...string) {
		t.Helper()
		r.unchanged("the guard", func() {
			got, err := r.core.Guard(r.ctx, a.Owner, targets)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v by %s (-want +got):\n%s", targets, a.name, diff)
			}
		})
	}
	blank := guarded
	blank.Generation = ""
	denied := core.GuardDecision{Denied: true, Resource: "file:src/a.go", Claim: blank, Owner: "ada"}
	check(bob, denied, "file:docs/x", "file:./src//a.go", "file:src/b.go")
	check(ada, core.GuardDecision{}, "file:src/a.go")
	check(bob, core.GuardDecision{}, "file:docs/x", "file:srcs/a")
	check(bob, core.GuardDecision{})
	r.clock.Advance(protocol.HeartbeatEvery)
	denied.Beat = true
	check(bob, denied, "file:src/a.go")
	check(bob, core.GuardDecision{Beat: true}, "file:other")
}

// guardTrees: who takes a whole directory is kept from what somebody holds anywhere in it.
func guardTrees(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	r.claim(ada, "file:src/deep/a.go")
	r.claim(ada, "file:docs/**")
	if _, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:web/a.js", Enforcement: protocol.Advisory}); err != nil {
		t.Fatal(err)
	}
	for tree, want := range map[string]string{
		"file:src": "file:src/deep/a.go", "file:src/deep": "file:src/deep/a.go", "file:src/deep/a.go": "file:src/deep/a.go", "file:.": "file:",
		"file:docs/api": "file:docs/**", "file:docs": "file:docs/**", "file:sr": "", "file:src/dee": "", "file:web": "", "file:/tmp": "",
	} {
		d, err := r.core.Guard(r.ctx, bob.Owner, []string{"file:other"}, tree+"/**")
		if err != nil || d.Denied != (want != "") || !strings.HasPrefix(d.Resource, want) || d.Denied && d.Owner != "ada" {
			t.Errorf("all of %s: %+v, %v, want %q", tree, d, err, want)
		}
		if d, err := r.core.Guard(r.ctx, ada.Owner, nil, tree+"/**"); err != nil || d.Denied {
			t.Errorf("all of %s by who holds it: %+v, %v", tree, d, err)
		}
	}
}

func guardNames(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	r.claim(ada, "file:./**")
	for target, want := range map[string]bool{
		"file:a": true, "file:a b*c": true, "file:deep/er": true, "file:/etc/passwd": false, "file:../x": false, "db:users": false,
	} {
		if d, err := r.core.Guard(r.ctx, bob.Owner, []string{target}); err != nil || d.Denied != want {
			t.Errorf("%s under a claim on the whole tree: denied %v, %v", target, d.Denied, err)
		}
	}
	_, err := r.core.Guard(r.ctx, bob.Owner, []string{"no scheme"})
	r.refused("a target without a scheme", err, protocol.Usage, "")
}
