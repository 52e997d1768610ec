package view

import (
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ExportedData is the answer of export with --output.
type ExportedData struct {
	Path     string
	Format   string
	Messages int
}

// Exported is the answer of export with --output.
var Exported = &Schema[ExportedData]{name: "exported", doc: "The file that was written.", data: func() strictjson.Type[ExportedData] {
	return strictjson.Nested(&strictjson.Object[ExportedData]{
		Name: "exported",
		Members: func() []strictjson.Member[ExportedData] {
			return []strictjson.Member[ExportedData]{
				field("path", "of the file", func(e *ExportedData) *string { return &e.Path }, text),
				field("format", "jsonl or markdown", func(e *ExportedData) *string { return &e.Format }, word),
				field("messages", "how many", func(e *ExportedData) *int { return &e.Messages }, count),
			}
		},
	})
}}

// AppendLine appends one line of an export for programs: an object as in the items of thread.
func AppendLine(dst []byte, m core.HistoryMessage) ([]byte, error) {
	dst, err := historyMessageObject.Append(dst, &m)
	return append(dst, '\n'), err
}

// AppendMarkdown appends one message of an export for people. What its author wrote is a fenced block longer than
// any fence in it, so that it cannot leave it, and nothing in it is obeyed by a terminal.
func AppendMarkdown(dst []byte, whole core.HistoryMessage) []byte {
	m := whole.Message
	to := "the room"
	if len(m.ToParticipantIDs) > 0 {
		to = strings.Join(m.ToParticipantIDs, ", ")
	}
	text := written(m)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	dst = fmt.Appendf(dst, "## %s\n\n%s from %s to %s, %s", m.MessageID, m.MessageKind, m.FromParticipantID, to, m.SentAt.Format(strictjson.TimeLayout))
	if m.InReplyTo != "" {
		dst = fmt.Appendf(dst, ", in reply to %s", m.InReplyTo)
	}
	if change := m.DecisionChange; change != nil {
		dst = fmt.Appendf(dst, ", %ss %s", change.Action, strings.Join(change.MessageIDs, ", "))
	}
	dst = fmt.Appendf(dst, "\n\n%stext\n%s%s\n\n", fence, text, fence)
	for _, r := range whole.Receipts {
		dst = fmt.Appendf(dst, "- %s: %s %s\n", r.RecipientParticipantID, r.State, r.UpdatedAt.Format(strictjson.TimeLayout))
	}
	return append(dst, '\n')
}

// written is everything that the author wrote, line by line.
func written(m protocol.Message) string {
	var b strings.Builder
	line := func(text string) { b.WriteString(strings.TrimRight(ui.Escape(text), " ") + "\n") }
	line(m.Subject)
	line("")
	for _, text := range strings.Split(strings.TrimRight(strings.ReplaceAll(m.Body, "\r\n", "\n"), "\n"), "\n") {
		line(strings.ReplaceAll(text, "\t", "    "))
	}
	if h := m.Handoff; h != nil {
		line("")
		line("status: " + string(h.Status))
		for _, list := range []struct {
			name  string
			items []string
		}{{"completed", h.Completed}, {"remaining", h.Remaining}, {"blocker", h.Blockers}} {
			for _, item := range list.items {
				line(list.name + ": " + item)
			}
		}
		for _, v := range h.Verification {
			line("verified by: " + string(v.ArtifactOf) + " " + v.URI + " " + v.Description)
		}
	}
	for _, a := range m.Artifacts {
		line("artifact: " + string(a.ArtifactOf) + " " + a.URI + " " + a.Description)
	}
	return b.String()
}

// Found is one hit of search.
type Found struct {
	Message protocol.Message
	Score   int
	Excerpt string
}

// FoundData is the answer of search.
type FoundData struct {
	Items []Found
	Total int
}

var foundObject = &strictjson.Object[Found]{
	Name: "found", Doc: "One hit.",
	Members: func() []strictjson.Member[Found] {
		return []strictjson.Member[Found]{
			field("message", "the message", func(f *Found) *protocol.Message { return &f.Message }, strictjson.Nested(messageObject)),
			field("score", "higher is better; comparable within one answer only", func(f *Found) *int { return &f.Score }, count),
			field("excerpt", "the line with a word; "+trust, func(f *Found) *string { return &f.Excerpt }, text),
		}
	},
}

// Search is the answer of search.
var Search = &Schema[FoundData]{name: "search", doc: "The hits, best first.", data: func() strictjson.Type[FoundData] {
	return strictjson.Nested(&strictjson.Object[FoundData]{
		Name: "search",
		Members: func() []strictjson.Member[FoundData] {
			return []strictjson.Member[FoundData]{
				field("items", "best first, and of equal ones the newest first", func(f *FoundData) *[]Found { return &f.Items }, list(foundObject)),
				field("total", "hits in all", func(f *FoundData) *int { return &f.Total }, count),
			}
		},
	})
}}
