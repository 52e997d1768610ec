package coretest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// lapsedClaims: whoever claims is told, once, of its own leases that ran out, and they leave the record.
func lapsedClaims(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	first, second := r.claim(ada, "file:first").Claim, r.claim(ada, "file:second").Claim
	kept, err := r.core.Claim(r.ctx, ada.Owner, core.ClaimRequest{Resource: "file:kept", Lease: 2 * protocol.DefaultLease})
	if err != nil {
		t.Fatal(err)
	}
	others := r.claim(bob, "file:others").Claim
	r.clock.Advance(protocol.DefaultLease)
	since := r.position().LastSequence
	again := r.claim(ada, "file:second")
	first.Generation = ""
	if diff := cmp.Diff([]protocol.Claim{first}, again.Lapsed); diff != "" || !again.Renewed || again.Claim.ClaimID != second.ClaimID {
		t.Errorf("renewed %v; told of (-want +got):\n%s", again.Renewed, diff)
	}
	r.tell(since, called(ada), "claim.released by ada", "claim.renewed by ada")
	if got := r.claim(ada, "file:new").Lapsed; len(got) != 0 {
		t.Errorf("told again of %+v", got)
	}
	if got := r.onRecord(); got != 4 { // second, kept, new, and that of bob, who was not told yet
		t.Errorf("%d claims on record, among them %s and %s", got, kept.Claim.ClaimID, others.ClaimID)
	}
	const many = 30
	for i := range many {
		lapsed := r.claim(bob, fmt.Sprint("file:many/", i)).Lapsed
		if tell := i == 0; tell != (len(lapsed) == 1 && lapsed[0].ClaimID == others.ClaimID) {
			t.Errorf("claim %d of bob tells of %+v", i, lapsed)
		}
	}
	r.clock.Advance(protocol.DefaultLease)
	told := 0
	for i := 0; told < many; i++ {
		lapsed := r.claim(bob, "file:last").Lapsed
		if len(lapsed) == 0 || len(lapsed) > 16 {
			t.Fatalf("claim %d tells of %d leases, %d before", i, len(lapsed), told)
		}
		told += len(lapsed)
	}
}

// renewals: an owner extends what it holds by naming its id, and nothing else changes.
func renewals(t *testing.T, r *roomTest) {
	ada, bob := r.open("ada"), r.open("bob")
	held := r.claim(ada, "file:src/**").Claim
	r.clock.Advance(10 * time.Minute)
	renew := func(a actor, req core.RenewRequest) (core.ClaimResult, error) {
		return r.core.Renew(r.ctx, a.Owner, req)
	}
	since := r.position().LastSequence
	got, err := renew(ada, core.RenewRequest{ClaimID: held.ClaimID})
	if err != nil {
		t.Fatal(err)
	}
	want := held
	want.ExpiresAt, want.Generation = r.clock.Now().Add(protocol.DefaultLease), got.Claim.Generation
	if diff := cmp.Diff(want, got.Claim); diff != "" || !got.Renewed || got.Claim.Generation == held.Generation {
		t.Errorf("renewed %v (-want +got):\n%s", got.Renewed, diff)
	}
	payload := func() protocol.ClaimRenewedPayload {
		t.Helper()
		events := r.journal()
		p, err := protocol.DecodePayload(events[len(events)-1])
		if err != nil {
			t.Fatal(err)
		}
		return p.(protocol.ClaimRenewedPayload)
	}
	r.tell(since, called(ada), "claim.renewed by ada")
	if diff := cmp.Diff(protocol.ClaimRenewedPayload{ClaimID: held.ClaimID}, payload()); diff != "" {
		t.Errorf("payload, named by id (-want +got):\n%s", diff)
	}
	got, err = renew(ada, core.RenewRequest{Resource: "file:./src/**", Reason: "still at it", Mode: protocol.Shared, Enforcement: protocol.Advisory, Lease: time.Hour})
	want.Reason, want.Mode, want.Enforcement = "still at it", protocol.Shared, protocol.Advisory
	want.ExpiresAt, want.Generation = r.clock.Now().Add(time.Hour), got.Claim.Generation
	if diff := cmp.Diff(want, got.Claim); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(protocol.ClaimRenewedPayload{ClaimID: held.ClaimID, Resource: "file:src/**", Mode: protocol.Shared}, payload()); diff != "" {
		t.Errorf("payload, named by resource (-want +got):\n%s", diff)
	}
	r.unchanged("renewals that are refused", func() {
		_, err = renew(bob, core.RenewRequest{ClaimID: held.ClaimID})
		r.refused("another session's claim", err, protocol.Conflict, protocol.ReasonClaimConflict)
		_, err = renew(bob, core.RenewRequest{Resource: "file:src/**"})
		r.refused("another session's claim by its resource", err, protocol.Conflict, protocol.ReasonClaimConflict)
		_, err = renew(ada, core.RenewRequest{ClaimID: "claim_none"})
		r.refused("no claim", err, protocol.Data, protocol.ReasonNotFound)
		_, err = renew(ada, core.RenewRequest{Resource: "file:other"})
		r.refused("nothing there", err, protocol.Data, protocol.ReasonNotFound)
		_, err = renew(ada, core.RenewRequest{})
		r.refused("no name", err, protocol.Usage, "")
		_, err = renew(ada, core.RenewRequest{ClaimID: held.ClaimID, Lease: -1})
		r.refused("no lease", err, protocol.Usage, "")
	})
	if _, err := r.core.Claim(r.ctx, bob.Owner, core.ClaimRequest{Resource: "file:src/a", Mode: protocol.Shared}); err != nil {
		t.Fatal(err)
	}
	_, err = renew(ada, core.RenewRequest{ClaimID: held.ClaimID, Mode: protocol.Exclusive})
	r.refused("alone on what others share", err, protocol.Conflict, protocol.ReasonClaimConflict)
	r.clock.Advance(time.Hour) // both are over
	if _, err := renew(ada, core.RenewRequest{ClaimID: held.ClaimID, Mode: protocol.Exclusive}); err != nil {
		t.Errorf("a lease that ran out and that nobody took: %v", err)
	}
}
