// Package capabilities writes docs/capabilities.md from the evidence of the adapters, so that the page says
// of each client what was seen of it and nothing else. The test compares; after recording evidence, run
//
//	go test ./tools/capabilities -update
//
// Start reading at Page.
package capabilities

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/adapter-sdk/release"
)

// words say what a capability is to somebody who uses acc.
var words = map[certification.Capability]string{
	certification.SessionStart:   "a session attaches by itself",
	certification.SessionResume:  "a resumed session is the same one",
	certification.SessionEnd:     "the end of a session is said",
	certification.Heartbeat:      "an idle session shows that it lives",
	certification.ChildSessions:  "subagents are told apart",
	certification.StartupContext: "text reaches the model at the start",
	certification.TurnContext:    "text reaches the model with a prompt",
	certification.SafePoint:      "text reaches the model within a turn",
	certification.GuardRead:      "reading a file can be refused",
	certification.GuardWrite:     "an edit of a claimed file is refused",
	certification.GuardShell:     "a shell command that writes one is refused",
	certification.NextTurn:       "a peer's message arrives with the next turn",
	certification.LivePush:       "a running session can be asked to look",
	certification.ReplyRoute:     "an answer can go back the same way",
}

const head = `# Capabilities

What was seen of each client, from the evidence that lies beside its adapter (` + "`hook/certification.json`" + `). This page is
written by ` + "`go test ./tools/capabilities -update`" + ` and checked by the same test.

A version says in which one a capability was last tried, and on which platforms. It is relied on from the version on in which
it was first seen until a later one is on record in which it failed, never before. A dash: nobody has seen it, so nothing
relies on it, whether or not there is code. [adapters.md](adapters.md) says what the code of each adapter does.

`

// Page writes the page for some adapters.
func Page(adapters []*adapter.Adapter) (string, error) {
	var b strings.Builder
	b.WriteString(head + "| |")
	rows := make([][]certification.Evidence, len(adapters))
	for i, a := range adapters {
		var err error
		if rows[i], err = a.Evidence(); err != nil {
			return "", fmt.Errorf("%s: %w", a.ID(), err)
		}
		fmt.Fprintf(&b, " %s |", a.DisplayName())
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(adapters)) + "\n")
	for _, capability := range certification.Capabilities {
		fmt.Fprintf(&b, "| %s (`%s`) |", words[capability], capability)
		for i, a := range adapters {
			fmt.Fprintf(&b, " %s |", cell(a, capability, rows[i]))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## What limits it\n")
	for i, a := range adapters {
		fmt.Fprintf(&b, "\n**%s.** %s\n", a.DisplayName(), limits(rows[i]))
	}
	return b.String(), nil
}

// cell says what the newest version in which a capability was tried showed.
func cell(a *adapter.Adapter, capability certification.Capability, rows []certification.Evidence) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(e certification.Evidence) bool { return e.Capability != capability })
	if len(rows) == 0 {
		return "–"
	}
	newest := slices.MaxFunc(rows, byVersion)
	var platforms []string
	failed := false
	for _, e := range rows {
		if byVersion(e, newest) == 0 {
			platforms = append(platforms, e.Platform)
			failed = failed || e.ObservedState != certification.Pass
		}
	}
	slices.Sort(platforms)
	text := newest.Version + ", " + strings.Join(slices.Compact(platforms), ", ")
	switch {
	case failed:
		return "**failed** in " + text
	case a.Effective(capability, newest.Version).Refusal == certification.NotDeclared:
		return text + ", not relied on"
	}
	return text
}

func byVersion(a, b certification.Evidence) int {
	one, _ := release.Parse(a.Version) // checked when the manifest was read
	two, _ := release.Parse(b.Version)
	return one.Compare(two)
}

// limits joins what the rows say of their limits, each once.
func limits(rows []certification.Evidence) string {
	if len(rows) == 0 {
		return "Nothing was recorded with the real client: the adapter follows descriptions."
	}
	var all []string
	for _, e := range rows {
		for _, l := range e.Limitations {
			if !slices.Contains(all, l) {
				all = append(all, l)
			}
		}
	}
	if len(all) == 0 {
		return "None was recorded."
	}
	return strings.ToUpper(all[0][:1]) + strings.Join(all, "; ")[1:] + "."
}
