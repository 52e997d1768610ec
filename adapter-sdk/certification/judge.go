package certification

import (
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/release"
	"github.com/acc-control-plane/acc/protocol"
)

// Refusal says why a capability is off.
type Refusal string

// The refusals.
const (
	NotRefused  Refusal = ""
	NotDeclared Refusal = "not_declared"   // the adapter does not claim it
	NotVerified Refusal = "never_verified" // nobody has seen it
	TooOld      Refusal = "older_than_verified"
	Stopped     Refusal = "stopped_working"
)

// Verdict is whether a capability counts, and by which version.
type Verdict struct {
	On      bool
	Refusal Refusal
	// Version is the version of the evidence that decided: the one that passed, the one in which it
	// stopped working, or the first in which it was seen.
	Version string
}

// Text says a refusal to a person; it is empty for a capability that is on.
func (v Verdict) Text() string {
	switch v.Refusal {
	case NotDeclared:
		return "the adapter does not do this"
	case NotVerified:
		return "nobody has seen this work"
	case TooOld:
		return "the client is older than " + v.Version + ", the first version in which this was verified"
	case Stopped:
		return "it is on record that this stopped working in version " + v.Version
	}
	return ""
}

// Client is a running client, as far as evidence asks.
type Client struct {
	Name     string // certification name
	Version  string // what it says of itself; unreadable or empty is taken for the newest that was tried
	Platform string // see Platform
}

// Judge applies the evidence forward. If any row of this client and capability names the client's
// platform only such rows count; of those not newer than the client the newest version decides, and a
// failure there wins. An adapter that does not declare the capability has none, whatever was seen.
func (m Manifest) Judge(declared []Capability, capability Capability, c Client) Verdict {
	if !slices.Contains(declared, capability) {
		return Verdict{Refusal: NotDeclared}
	}
	rows := m.about(capability, c)
	if len(rows) == 0 {
		return Verdict{Refusal: NotVerified}
	}
	slices.SortStableFunc(rows, func(a, b Evidence) int { return releaseOf(a).Compare(releaseOf(b)) })
	oldest := rows[0]
	if version, ok := release.Parse(c.Version); ok {
		rows = slices.DeleteFunc(rows, func(e Evidence) bool { return releaseOf(e).Compare(version) > 0 })
	}
	if len(rows) == 0 {
		return Verdict{Refusal: TooOld, Version: oldest.Version}
	}
	newest := rows[len(rows)-1]
	for _, e := range rows {
		if releaseOf(e) == releaseOf(newest) && e.ObservedState != Pass {
			return Verdict{Refusal: Stopped, Version: e.Version}
		}
	}
	return Verdict{On: true, Version: newest.Version}
}

// about gives the rows that speak of a capability of a client on its platform.
func (m Manifest) about(capability Capability, c Client) []Evidence {
	var all, here []Evidence
	for _, e := range m.rows {
		if e.Client != c.Name || e.Capability != capability {
			continue
		}
		all = append(all, e)
		if e.Platform == c.Platform {
			here = append(here, e)
		}
	}
	if len(here) > 0 {
		return here
	}
	return all
}

func releaseOf(e Evidence) release.Release {
	r, _ := release.Parse(e.Version) // checked by Parse
	return r
}

// Check refuses an adapter that declares what it cannot do or what nobody saw: every declared
// capability needs code behind it and a row for this client that passed. can says whether the code is
// there.
func (m Manifest) Check(client string, declared []Capability, can func(Capability) bool) error {
	for i, capability := range declared {
		switch {
		case !slices.Contains(Capabilities[:], capability):
			return declaration(capability, "is no capability")
		case slices.Contains(declared[:i], capability):
			return declaration(capability, "is declared twice")
		case !can(capability):
			return declaration(capability, "is declared without the code for it")
		case !slices.ContainsFunc(m.rows, func(e Evidence) bool {
			return e.Client == client && e.Capability == capability && e.ObservedState == Pass
		}):
			return declaration(capability, "is declared without evidence that it works")
		}
	}
	return nil
}

func declaration(capability Capability, what string) error {
	return protocol.DataError("", string(capability)+" "+what).WithHint("record evidence with tools/certify, or do not declare it")
}
