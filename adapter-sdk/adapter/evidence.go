package adapter

import (
	"runtime"
	"sync"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// evidence is what was seen of a client, and what its adapter claims because of it.
type evidence struct {
	client   string
	declared []certification.Capability
	manifest func() (certification.Manifest, error) // read when it is first asked for
}

// WithEvidence declares capabilities of a client, by its certification name, and gives the manifest
// (certification.json) that proves them. What is not declared, not proved for the version that runs, or
// not backed by code is off. Without this option everything is.
func WithEvidence(client string, manifest []byte, declared ...certification.Capability) Option {
	return func(a *Adapter) {
		a.evidence = &evidence{client, declared, sync.OnceValues(func() (certification.Manifest, error) {
			return certification.Parse(manifest)
		})}
	}
}

// Effective says whether a capability counts in a version of the client on this machine; "" is a version
// that nobody knows. A manifest that cannot be read proves nothing.
func (a *Adapter) Effective(c certification.Capability, version string) certification.Verdict {
	if a.evidence == nil || !a.can(c) {
		return certification.Verdict{Refusal: certification.NotDeclared}
	}
	m, err := a.evidence.manifest()
	if err != nil {
		return certification.Verdict{Refusal: certification.NotVerified}
	}
	return m.Judge(a.evidence.declared, c, certification.Client{
		Name: a.evidence.client, Version: version, Platform: certification.Platform(runtime.GOOS, runtime.GOARCH),
	})
}

// Evidence gives the rows of the manifest; none if the adapter declares nothing.
func (a *Adapter) Evidence() ([]certification.Evidence, error) {
	if a.evidence == nil {
		return nil, nil
	}
	m, err := a.evidence.manifest()
	return m.Rows(), err
}

// CheckEvidence refuses a declaration without code or without a passing row. It is for the adapter's
// tests: a hook does not pay for it.
func (a *Adapter) CheckEvidence() error {
	if a.evidence == nil {
		return nil
	}
	m, err := a.evidence.manifest()
	if err != nil {
		return err
	}
	return m.Check(a.evidence.client, a.evidence.declared, a.can)
}

// can says whether there is code for a capability.
func (a *Adapter) can(c certification.Capability) bool {
	switch c {
	case certification.StartupContext:
		return a.Injects(Event{Kind: SessionStart})
	case certification.TurnContext, certification.NextTurn:
		return a.Injects(Event{Kind: BeforeTurn})
	case certification.SafePoint:
		return a.Injects(Event{Kind: AfterTool}) || a.Injects(Event{Kind: BeforeTool})
	case certification.GuardWrite, certification.GuardShell:
		return a.Denies()
	case certification.LivePush:
		return a.live != nil
	case certification.SessionStart, certification.SessionResume, certification.SessionEnd, certification.Heartbeat, certification.ChildSessions:
		return true // what Normalize makes of an event
	}
	return false
}
