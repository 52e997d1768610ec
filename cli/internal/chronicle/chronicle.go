// Package chronicle says events in words.
package chronicle

import (
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// Names gives the participant of a session, or "" where it is not known.
type Names func(sessionID string) string

// Entry is one event in words. Did may hold peer text, which whoever prints it escapes.
type Entry struct {
	Who string // participant, or the session where the participant is not known
	Did string
}

// Tell says one event. An event whose payload this build cannot read is told by its type.
func Tell(e protocol.Event, names Names) Entry {
	entry := Entry{Who: names(e.ActorSessionID)}
	if entry.Who == "" {
		entry.Who = e.ActorSessionID
	}
	payload, err := protocol.DecodePayload(e)
	if err != nil {
		entry.Did = string(e.Type)
		return entry
	}
	entry.Did = told(payload)
	return entry
}

func told(payload protocol.EventPayload) string {
	switch p := payload.(type) {
	case protocol.WorkspaceMaterialisedPayload:
		return "began the record of this room"
	case protocol.SessionOpenedPayload:
		if p.Replaced != "" {
			return "opened its session again after the process had died"
		}
		return "opened a session"
	case protocol.SessionClosedPayload:
		return ended(p)
	case protocol.IntentPublishedPayload:
		return "said what it is doing"
	case protocol.IntentClearedPayload:
		return "is done with what it was doing"
	case protocol.ClaimAcquiredPayload:
		return fmt.Sprintf("claimed %s, %s (%s)", p.Resource, p.Mode, p.ClaimID)
	case protocol.ClaimRenewedPayload:
		return strings.TrimSpace("renewed " + p.ClaimID + " " + p.Resource)
	case protocol.ClaimReleasedPayload:
		return "released " + p.ClaimID
	case protocol.ClaimForceReleasedPayload:
		return fmt.Sprintf("took %s from its owner, by authority %s: %s", p.ClaimID, p.Authority, p.Reason)
	}
	return toldOfMessages(payload)
}

func toldOfMessages(payload protocol.EventPayload) string {
	switch p := payload.(type) {
	case protocol.MessageRecordedPayload:
		to := strings.Join(p.RecipientParticipantIDs, ", ")
		if to == "" {
			to = "nobody who is here"
		}
		return fmt.Sprintf("sent %s to %s", p.MessageID, to)
	case protocol.MessageOfferedPayload:
		return fmt.Sprintf("was shown %s", p.MessageID)
	case protocol.MessageRetrievedPayload:
		return fmt.Sprintf("read %s", p.MessageID)
	case protocol.MessageAcknowledgedPayload:
		return fmt.Sprintf("settled %s", p.MessageID)
	case protocol.OfferSucceededPayload:
		again := ""
		if p.Repeat {
			again = " once more"
		}
		return fmt.Sprintf("was shown %s%s by %s", p.MessageID, again, p.Transport)
	case protocol.OfferFailedPayload:
		return fmt.Sprintf("could not be shown %s by %s: %s", p.MessageID, p.Transport, p.SafeErrorCode)
	}
	return string(payload.EventType())
}

func ended(p protocol.SessionClosedPayload) string {
	if p.Cause != protocol.CauseFinish {
		return "ended its session"
	}
	if len(p.ReleasedClaimIDs) == 0 {
		return "finished, handing over with " + p.MessageID
	}
	return fmt.Sprintf("finished, handing over with %s and releasing %s", p.MessageID, strings.Join(p.ReleasedClaimIDs, ", "))
}
