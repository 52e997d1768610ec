package core

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// FinishRequest hands work over and ends the session.
type FinishRequest struct {
	Goal            string                 // what the work was for, one line
	Status          protocol.HandoffStatus // empty: partial
	To              []string               // participant ids or client names; empty: the room
	Completed       []string
	Remaining       []string
	Blockers        []string
	Verification    []protocol.ArtifactRef
	ClientMessageID string // empty: minted and returned
	Reason          string // the client's word, as for CloseSession
}

// FinishResult is a recorded handoff and the ended session.
type FinishResult struct {
	SendResult
	Session          protocol.Session
	ReleasedClaimIDs []string
}

// finishExtension is where a session that ended with a handoff keeps what a retry must be told.
const finishExtension = "finish"

type finishFacts struct {
	MessageID        string
	ReleasedClaimIDs []string
}

var finishObject = strictjson.Object[finishFacts]{
	Name: "finish", Doc: "How a session ended with a handoff.",
	Members: func() []strictjson.Member[finishFacts] {
		return []strictjson.Member[finishFacts]{
			strictjson.Field("messageId", "the handoff", func(f *finishFacts) *string { return &f.MessageID }, idLine()),
			strictjson.Field("releasedClaimIds", "claims that ended with the session", func(f *finishFacts) *[]string { return &f.ReleasedClaimIDs },
				strictjson.List(idLine(), 0, protocol.MaxListItems)),
		}
	},
}

// Finish records a handoff, releases every claim, clears the intent and closes the session, in one
// transaction. A retry with the key of the handoff that ended this same generation is told the same
// again; the key of any other finish is refused with ReasonClientMessageIDConflict, an ended session
// without such a key with ReasonSessionClosed.
func (c *Core) Finish(ctx context.Context, owner Owner, req FinishRequest) (FinishResult, error) {
	var result FinishResult
	err := c.update(ctx, func(ch *change) error {
		s, err := ch.known(owner)
		if err != nil {
			return err
		}
		if s.State == protocol.SessionClosed {
			result, err = ch.finishedBefore(s, req)
			return err
		}
		to, err := ch.resolve(s, req.To)
		if err != nil {
			return err
		}
		result, err = ch.finish(s, handoff(req, to), req.Reason)
		return err
	})
	if err == nil {
		c.forgetPresence(ctx, owner)
	}
	return result, err
}

// handoff makes the message of a finish. Its body says in words what the payload says in members, for
// readers that are shown bodies only.
func handoff(req FinishRequest, to []string) protocol.Message {
	payload := protocol.HandoffPayload{
		Status: orDefault(req.Status, protocol.HandoffPartial), Completed: req.Completed, Remaining: req.Remaining,
		Blockers: req.Blockers, Verification: req.Verification,
	}
	return protocol.Message{
		ClientMessageID: req.ClientMessageID, ToParticipantIDs: to, MessageKind: protocol.Handoff,
		Obligation: protocol.DefaultObligation(protocol.Handoff, len(to) == 0), Subject: req.Goal, Body: handoffBody(req.Goal, &payload), Handoff: &payload,
	}
}

// handoffBody says a payload in words. A payload may hold more than a body: whole lines are left out then,
// and how many is said.
func handoffBody(goal string, payload *protocol.HandoffPayload) string {
	const spare = 256 // for the titles and what is said of the lines that do not fit
	var body strings.Builder
	fmt.Fprintf(&body, "%s (%s)", goal, payload.Status)
	for _, part := range []struct {
		title string
		lines []string
	}{{"completed", payload.Completed}, {"remaining", payload.Remaining}, {"blockers", payload.Blockers}} {
		for i, line := range part.lines {
			if i == 0 {
				fmt.Fprintf(&body, "\n%s:", part.title)
			}
			if body.Len()+len(line)+spare > protocol.MaxBody {
				fmt.Fprintf(&body, "\n- and %d more in the handoff itself", len(part.lines)-i)
				break
			}
			body.WriteString("\n- " + line)
		}
	}
	return body.String()
}

func (c *change) finish(s *protocol.Session, m protocol.Message, reason string) (FinishResult, error) {
	sent, err := c.record(s, m)
	if err != nil {
		return FinishResult{}, err
	}
	if sent.Duplicate {
		return FinishResult{}, otherFinish(m.ClientMessageID, sent.Message.MessageID)
	}
	released, err := c.releaseAll(s)
	if err != nil {
		return FinishResult{}, err
	}
	facts := finishFacts{MessageID: sent.Message.MessageID, ReleasedClaimIDs: released}
	encoded, err := finishObject.Append(nil, &facts)
	if err != nil {
		return FinishResult{}, protocol.Malformed("finish", err)
	}
	extensions := maps.Clone(s.Extensions)
	if extensions == nil {
		extensions = protocol.Extensions{}
	}
	extensions[finishExtension] = encoded
	closed, err := c.close(s, ending{reason: reason, extensions: extensions, payload: protocol.SessionClosedPayload{
		Cause: protocol.CauseFinish, MessageID: facts.MessageID, SessionGenerationRef: protocol.GenerationRef(s.Generation), ReleasedClaimIDs: released,
	}})
	return FinishResult{SendResult: sent, Session: closed, ReleasedClaimIDs: released}, err
}

// finishedBefore answers a retried finish from what the session recorded of its end.
func (c *change) finishedBefore(s *protocol.Session, req FinishRequest) (FinishResult, error) {
	if req.ClientMessageID == "" {
		return FinishResult{}, ended(s)
	}
	before, found, err := c.recorded(s.ParticipantID, req.ClientMessageID)
	if err != nil {
		return FinishResult{}, err
	}
	if !found {
		return FinishResult{}, ended(s)
	}
	facts, err := finishObject.Decode(s.Extensions[finishExtension])
	if err != nil || facts.MessageID != before.MessageID {
		return FinishResult{}, otherFinish(req.ClientMessageID, before.MessageID)
	}
	to, err := c.resolve(s, req.To)
	if err != nil {
		return FinishResult{}, err
	}
	sent, err := c.repeatOf(before, handoff(req, to))
	return FinishResult{SendResult: sent, Session: *s, ReleasedClaimIDs: facts.ReleasedClaimIDs}, err
}

func otherFinish(clientMessageID, messageID string) error {
	return protocol.ConflictError(protocol.ReasonClientMessageIDConflict, fmt.Sprintf("client message id %q belongs to a different finish generation", clientMessageID)).
		With("clientMessageId", clientMessageID).With("messageId", messageID)
}

// withoutFinish leaves out how an earlier generation ended.
func withoutFinish(e protocol.Extensions) protocol.Extensions {
	if _, found := e[finishExtension]; !found {
		return e
	}
	kept := maps.Clone(e)
	delete(kept, finishExtension)
	return kept
}
