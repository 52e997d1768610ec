package doctor

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// Evidence says whether an ability of a client is relied on, and by which observation.
type Evidence struct {
	Capability certification.Capability
	certification.Verdict
	// Platform and ObservedAt are of the row that decided; empty: no row did.
	Platform, ObservedAt string
}

// promises are the capabilities that others rely on, in words.
var promises = []struct {
	capability certification.Capability
	text       string
}{
	{certification.SessionStart, "attach"}, {certification.SessionEnd, "end of a session"},
	{certification.NextTurn, "messages before a turn"}, {certification.SafePoint, "messages within a turn"},
	{certification.GuardWrite, "refused edits"}, {certification.GuardShell, "refused shell writes"},
}

// checkEvidence says what this version of the client was seen to do, by which row, and what is not relied on.
func (e *examination) checkEvidence(c *Client) {
	i := slices.IndexFunc(e.Adapters, func(a *adapter.Adapter) bool { return a.ID() == c.AdapterID })
	if i < 0 {
		return
	}
	rows, _ := e.Adapters[i].Evidence() // without rows every verdict is a refusal
	proved, off := map[string][]string{}, map[string][]string{}
	for _, p := range promises {
		v := Evidence{Capability: p.capability, Verdict: e.Adapters[i].Effective(p.capability, c.Version)}
		v.row(rows)
		c.Evidence = append(c.Evidence, v)
		if v.On {
			by := fmt.Sprintf("%s on %s, %s", v.Version, v.Platform, v.ObservedAt)
			proved[by] = append(proved[by], p.text)
			continue
		}
		off[v.Text()] = append(off[v.Text()], p.text)
	}
	for _, by := range slices.Sorted(maps.Keys(proved)) {
		e.ok(c.AdapterID, "proved with the real client ("+by+"): "+strings.Join(proved[by], ", "))
	}
	for _, why := range slices.Sorted(maps.Keys(off)) {
		e.ok(c.AdapterID, "not relied on: "+strings.Join(off[why], ", ")+" ("+why+")")
	}
}

// row finds the observation behind a verdict: of this platform, if it was tried there.
func (v *Evidence) row(rows []certification.Evidence) {
	here := certification.Platform(runtime.GOOS, runtime.GOARCH)
	for _, r := range rows {
		if v.Version != "" && r.Capability == v.Capability && r.Version == v.Version && v.Platform != here {
			v.Platform, v.ObservedAt = r.Platform, r.ObservedAt
		}
	}
}
