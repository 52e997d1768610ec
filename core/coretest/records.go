package coretest

import (
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Builders of valid records; a case changes what it is about.

func participant(id string) *protocol.Participant {
	return &protocol.Participant{ParticipantID: id, WorkspaceID: WorkspaceID, DisplayName: id, ParticipantOf: protocol.Agent, CreatedAt: Start}
}

func session(id, participantID string) *protocol.Session {
	return &protocol.Session{
		SessionID: id, ParticipantID: participantID, WorkspaceID: WorkspaceID, Generation: "gen-" + id, Harness: "tool",
		State: protocol.SessionOpen, Enforcement: protocol.Guarded, Lifecycle: protocol.Managed, HeartbeatCadence: time.Minute,
		StartedAt: Start, HeartbeatAt: Start,
	}
}

func intent(sessionID, summary string) *protocol.Intent {
	return &protocol.Intent{SessionID: sessionID, WorkspaceID: WorkspaceID, Summary: summary, Mode: protocol.ModeEdit, State: protocol.IntentActive, UpdatedAt: Start}
}

func claim(id, sessionID, resource string) *protocol.Claim {
	return &protocol.Claim{
		ClaimID: id, WorkspaceID: WorkspaceID, OwnerSessionID: sessionID, Resource: resource, Mode: protocol.Exclusive,
		Enforcement: protocol.Guarded, Reason: "tests", AcquiredAt: Start, ExpiresAt: Start.Add(time.Hour), Generation: "gen-" + id,
	}
}

func note(id, from string, to ...string) *protocol.Message {
	return &protocol.Message{
		MessageID: id, ThreadID: id, ClientMessageID: "client-" + id, WorkspaceID: WorkspaceID, FromParticipantID: from, FromSessionID: "session-" + from,
		ToParticipantIDs: to, MessageKind: protocol.Note, Obligation: protocol.ObligationNone, Subject: "about " + id, Body: "body of " + id, SentAt: Start,
	}
}

func receipt(messageID, to string) *protocol.Receipt {
	return &protocol.Receipt{MessageID: messageID, WorkspaceID: WorkspaceID, RecipientParticipantID: to, State: protocol.Queued, UpdatedAt: Start, Obligation: protocol.ObligationNone}
}

func room() *protocol.Workspace {
	return &protocol.Workspace{WorkspaceID: WorkspaceID, DisplayName: "tests", Source: protocol.SourceDirectory, Roots: []string{"/tests"}, CreatedAt: Start}
}

// everyKind gives, for step n, records of every kind that land in every index. Odd steps oblige and
// link; ids of later steps sort before earlier ones, so that order by id alone is not order by commit.
func everyKind(n int) []protocol.Record {
	id := func(kind string) string { return fmt.Sprintf("%s-%02d", kind, 90-n) }
	s := session(id("session"), "ada")
	m := note(id("message"), "ada", "bob")
	m.ClientMessageID = "key" // the same key twice is possible after a merge of histories; the first one counts
	m.MessageKind = protocol.Decision
	if n > 1 {
		m.DecisionChange = &protocol.DecisionChange{Action: protocol.Replace, MessageIDs: []string{"message-89"}}
		m.ThreadID, m.InReplyTo = "message-89", "message-89"
	}
	r := receipt(m.MessageID, "bob")
	if n%2 == 1 {
		m.Obligation, r.Obligation, r.Author = protocol.ObligationAcknowledge, protocol.ObligationAcknowledge, "ada"
	}
	if n%3 == 0 {
		r.State, r.Offer = protocol.Offered, &protocol.Offer{Transport: "socket", At: Start}
	}
	c := claim(id("claim"), "session-owner", "file:src/deep/file.go")
	return []protocol.Record{participant(id("participant")), s, intent(s.SessionID, "step"), c, m, r}
}
