package mcpserver

import (
	"fmt"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/delivery-router/delivery"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/protocol"
)

// The texts of answers say in a few lines what the objects say in full: some clients show a model only
// the one, some only the other. Whatever a peer wrote goes through line.

// shown is how many rows of one kind a text lists.
const shown = 20

func (s *server) line(text string) string { return s.write.Line(text) }

// rows writes one line for each of the first rows and says how many more there are.
func rows[T any](b *strings.Builder, all []T, say func(T) string) {
	for i, row := range all {
		if i == shown {
			fmt.Fprintf(b, "\n- and %d more", len(all)-shown)
			return
		}
		b.WriteString("\n- " + say(row))
	}
}

func (s *server) sayStatus(d answer.StatusData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "you are %s in %s: %d live, %d stale, %d claims, cursor %s",
		s.line(d.Participant), s.line(d.DisplayName), d.Counts.Live, d.Counts.Stale, d.Counts.Claims, d.Cursor)
	rows(&b, d.Sessions, func(r core.SessionStatus) string {
		said := fmt.Sprintf("%s (%s) %s", s.line(r.ParticipantID), s.line(r.Harness), r.Presence)
		if r.Branch != "" {
			said += ", branch " + s.line(r.Branch)
		}
		if r.Intent != "" {
			said += ": " + s.line(r.Intent)
		}
		return said
	})
	rows(&b, d.Claims, func(c core.ClaimStatus) string {
		return fmt.Sprintf("claim %s by %s, %s %s until %s, %s", s.line(c.Resource), s.line(c.OwnerParticipantID), c.Enforcement, c.Mode, c.ExpiresAt.Format(time.RFC3339), c.ClaimID)
	})
	s.sayAttention(&b, d.Attention)
	rows(&b, d.Waiting, func(w core.Waiting) string {
		return fmt.Sprintf("waiting for %s on %s %s (%s)", s.line(w.Recipient), w.MessageKind, w.MessageID, w.State)
	})
	return b.String()
}

func (s *server) sayAttention(b *strings.Builder, items []core.AttentionItem) {
	rows(b, items, func(a core.AttentionItem) string {
		return fmt.Sprintf("[%s] %s %s", a.AttentionKind, a.SourceID, s.line(a.Summary))
	})
}

func (s *server) saySync(r core.SyncResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d events to cursor %s", len(r.Events), r.Cursor)
	if r.More {
		b.WriteString(", more follow")
	}
	if r.Solo {
		b.WriteString("; nobody else is here")
	}
	rows(&b, r.Events, func(e protocol.Event) string {
		return fmt.Sprintf("%s %s by %s", protocol.FormatSequence(e.Sequence), e.Type, e.ActorSessionID)
	})
	s.sayAttention(&b, r.Attention)
	return b.String()
}

func (s *server) sayHistory(p core.HistoryPage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d messages", len(p.Items))
	if p.NextCursor != "" {
		b.WriteString(", older ones after cursor " + p.NextCursor)
	}
	rows(&b, p.Items, s.saySummary)
	return b.String()
}

func (s *server) saySummary(m core.Summary) string {
	said := fmt.Sprintf("%s %s from %s: %s", m.MessageID, m.MessageKind, s.line(m.FromParticipantID), s.line(m.Subject))
	switch m.Obligation {
	case protocol.ObligationReply:
		said += " (reply required)"
	case protocol.ObligationAcknowledge:
		said += " (acknowledgement required)"
	}
	return said
}

func (s *server) sayInbox(p core.InboxPage) string {
	if len(p.Items) == 0 {
		return "nothing waits"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d wait; read one with acc_inbox and its messageId", len(p.Items))
	if p.NextCursor != "" {
		b.WriteString("; older ones after cursor " + p.NextCursor)
	}
	s.sayItems(&b, p.Items)
	return b.String()
}

func (s *server) sayItems(b *strings.Builder, items []core.InboxItem) {
	rows(b, items, func(i core.InboxItem) string { return s.saySummary(i.Message) + ", " + string(i.Receipt.State) })
}

func (s *server) sayWait(d answer.WaitData, limit time.Duration) string {
	if !d.Arrived {
		return fmt.Sprintf("nothing arrived in %d s", int(limit.Seconds()))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d unread; read one with acc_inbox and its messageId", len(d.Items))
	s.sayItems(&b, d.Items)
	return b.String()
}

func (s *server) saySent(d answer.SentData) string {
	var b strings.Builder
	b.WriteString(d.Message.MessageID + " recorded")
	if d.Duplicate {
		b.WriteString(" before")
	}
	if d.Settled != nil {
		b.WriteString("; " + d.Settled.MessageID + " " + string(d.Settled.State))
	}
	rows(&b, d.Delivery, func(v delivery.Result) string {
		said := fmt.Sprintf("%s %s, %s (%s)", s.line(v.RecipientParticipantID), v.State, v.Presence, s.line(v.Transport))
		switch {
		case v.PendingApproval:
			said += ", its client holds the wake until a person approves"
		case v.Code != "":
			said += ", " + string(v.Code)
		}
		return said
	})
	for _, id := range d.Released {
		b.WriteString("\nreleased " + id)
	}
	for _, warning := range d.Warnings {
		b.WriteString("\nnote: " + s.line(warning))
	}
	return b.String()
}
