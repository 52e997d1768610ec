package livefiles

import (
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Attempt is the last attempt of a session generation to publish a live endpoint: a diagnosis, apart from
// every receipt. It holds words of closed vocabularies only.
type Attempt struct {
	At           time.Time
	Event        string // the hook that tried
	Reason       string // "" succeeded
	Policy       protocol.LivePolicy
	LaunchOption string // the option of the client that is in the way, if that is known
}

var attempts = &strictjson.Object[Attempt]{
	Name: "attempt", Doc: "The last attempt of a session to publish a live endpoint.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[Attempt] {
		return []strictjson.Member[Attempt]{
			strictjson.Const[Attempt]("schemaVersion", "always 1", 1),
			strictjson.Field("at", "when", func(a *Attempt) *time.Time { return &a.At }, strictjson.Time()),
			strictjson.Field("event", "the hook that tried", func(a *Attempt) *string { return &a.Event }, strictjson.Line(protocol.MaxLine)),
			strictjson.Optional("reasonCode", "why it failed", func(a *Attempt) *string { return &a.Reason }, strictjson.Line(protocol.MaxLine)),
			strictjson.Field("policy", "of the installation then", func(a *Attempt) *protocol.LivePolicy { return &a.Policy },
				strictjson.Enum(protocol.LiveOff, protocol.LiveActionable, protocol.LiveAll)),
			strictjson.Optional("launchOption", "what is in the way", func(a *Attempt) *string { return &a.LaunchOption }, strictjson.Line(protocol.MaxLine)),
		}
	},
}

// RecordAttempt replaces what is known of a session generation.
func (l *Ledger) RecordAttempt(sessionID, generationRef string, a Attempt) error {
	a.At = a.At.UTC().Truncate(time.Millisecond)
	data, err := attempts.AppendIndent(nil, &a)
	if err != nil {
		return protocol.Malformed("attempt", err)
	}
	return l.tree.Write(l.file("attempt", sessionID+"."+generationRef), data)
}

// LastAttempt gives what is known of a session generation.
func (l *Ledger) LastAttempt(sessionID, generationRef string) (a Attempt, found bool) {
	data, err := l.tree.Read(l.file("attempt", sessionID+"."+generationRef), maxFile)
	if err != nil {
		return Attempt{}, false
	}
	a, err = attempts.Decode(data)
	return a, err == nil
}

// Attempt gives the words of LastAttempt that a sender may see.
func (l *Ledger) Attempt(sessionID, generationRef string) (reason, launchOption string) {
	a, _ := l.LastAttempt(sessionID, generationRef)
	return a.Reason, a.LaunchOption
}
