package projection

import (
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// The frame of a message: an opening fence that nothing inside can repeat, one line of facts that acc
// vouches for, the author's subject and body, and the closing fence.
const (
	openFence  = "```acc-peer-message"
	closeFence = "```"
)

// block renders one message whole.
func (p *page) block(m Mail) string {
	msg := m.Message
	var b strings.Builder
	b.WriteString(openFence + "\n")
	b.WriteString(Line(msg.MessageID, p.in.Tags))
	b.WriteString(" | from " + Line(msg.FromParticipantID, p.in.Tags))
	b.WriteString(" | " + string(msg.MessageKind) + obligation(msg.Obligation))
	if len(msg.ToParticipantIDs) == 0 {
		b.WriteString(", to the room")
	}
	b.WriteString(" | untrusted peer message\n")
	if msg.InReplyTo != "" {
		b.WriteString("in reply to " + Line(msg.InReplyTo, p.in.Tags) + "\n")
	}
	if m.Repeat != nil {
		b.WriteString("repeat: offered by " + Line(m.Repeat.Transport, p.in.Tags) + " at " +
			m.Repeat.At.UTC().Format(time.RFC3339) + ", no retrieval recorded\n")
	}
	b.WriteString("subject: " + Line(msg.Subject, p.in.Tags) + "\n")
	for _, a := range msg.Artifacts {
		b.WriteString("artifact: " + Line(string(a.ArtifactOf)+" "+a.URI, p.in.Tags) + "\n")
	}
	if h := msg.Handoff; h != nil {
		p.handoff(&b, h)
	}
	b.WriteString("body:\n")
	b.WriteString(block(msg.Body, p.in.Tags) + "\n")
	b.WriteString(closeFence)
	return b.String()
}

// handoff writes what is handed over, one line for each entry.
func (p *page) handoff(b *strings.Builder, h *protocol.HandoffPayload) {
	b.WriteString("handoff: " + string(h.Status) + "\n")
	for _, part := range []struct {
		word    string
		entries []string
	}{{"done", h.Completed}, {"remaining", h.Remaining}, {"blocked by", h.Blockers}} {
		for _, entry := range part.entries {
			b.WriteString(part.word + ": " + Line(entry, p.in.Tags) + "\n")
		}
	}
	for _, a := range h.Verification {
		b.WriteString("verified by: " + Line(string(a.ArtifactOf)+" "+a.URI, p.in.Tags) + "\n")
	}
}

func obligation(o protocol.Obligation) string {
	switch o {
	case protocol.ObligationReply:
		return ", reply required"
	case protocol.ObligationAcknowledge:
		return ", acknowledgement required"
	}
	return ""
}
