package view

import (
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/prune"
)

// Pruned is the answer of prune.
var Pruned = &Schema[prune.Report]{name: "pruned", doc: "What was removed, or would be.", data: func() strictjson.Type[prune.Report] {
	return strictjson.Nested(&strictjson.Object[prune.Report]{
		Name: "pruned",
		Members: func() []strictjson.Member[prune.Report] {
			return []strictjson.Member[prune.Report]{
				field("applied", "false: it is only said what would go", func(r *prune.Report) *bool { return &r.Applied }, truth),
				field("sessions", "that are gone", func(r *prune.Report) *int { return &r.Sessions }, count),
				field("intents", "of sessions that are gone", func(r *prune.Report) *int { return &r.Intents }, count),
				field("claims", "that ran out", func(r *prune.Report) *int { return &r.Claims }, count),
				field("participants", "that nothing names", func(r *prune.Report) *int { return &r.Participants }, count),
				field("messages", "that are settled for everybody", func(r *prune.Report) *int { return &r.Messages }, count),
				field("receipts", "of those messages", func(r *prune.Report) *int { return &r.Receipts }, count),
				field("kept", "changed meanwhile, and stay", func(r *prune.Report) *int { return &r.Kept }, count),
				field("trimmedThrough", "events up to this one are gone", func(r *prune.Report) *uint64 { return &r.TrimmedThrough }, sequenceNumber),
				field("journalFrom", "first event whose commit is kept with everything it wrote", func(r *prune.Report) *uint64 { return &r.JournalFrom }, sequenceNumber),
			}
		},
	})
}}
