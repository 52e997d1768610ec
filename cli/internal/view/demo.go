package view

import "github.com/acc-control-plane/acc/protocol/strictjson"

// DemoStep is one step of the demo.
type DemoStep struct {
	Actor      string
	Program    string // executable that did it
	PID        int
	DurationMS int
	Did        string
	Saw        string
	Receipts   []DemoReceipt
}

// DemoReceipt is a receipt as acc receipts --json gave it after a step.
type DemoReceipt struct{ MessageID, Recipient, State string }

// DemoData is the answer of demo.
type DemoData struct {
	WorkspaceID string
	Kept        string // directory; empty: removed
	Steps       []DemoStep
}

// Demo is the answer of demo.
var Demo = &Schema[DemoData]{name: "demo", doc: "What happened, in order.", data: func() strictjson.Type[DemoData] {
	return strictjson.Nested(&strictjson.Object[DemoData]{
		Name: "demo",
		Members: func() []strictjson.Member[DemoData] {
			return []strictjson.Member[DemoData]{
				field("workspaceId", "the room it was played in", func(d *DemoData) *string { return &d.WorkspaceID }, word),
				nullable("kept", "where the room is, with --keep", func(d *DemoData) *string { return &d.Kept }, text),
				field("steps", "in order", func(d *DemoData) *[]DemoStep { return &d.Steps }, list(&strictjson.Object[DemoStep]{
					Name: "demoStep", Doc: "One process and what came of it.",
					Members: func() []strictjson.Member[DemoStep] {
						return []strictjson.Member[DemoStep]{
							field("actor", "which session acted", func(s *DemoStep) *string { return &s.Actor }, text),
							field("program", "the executable", func(s *DemoStep) *string { return &s.Program }, text),
							field("pid", "of the process that did it", func(s *DemoStep) *int { return &s.PID }, count),
							field("durationMs", "from its start to its end", func(s *DemoStep) *int { return &s.DurationMS }, count),
							field("did", "what happened", func(s *DemoStep) *string { return &s.Did }, text),
							field("saw", "what the process printed, as its client would take it", func(s *DemoStep) *string { return &s.Saw }, text),
							field("receipts", "of the messages so far, after the step", func(s *DemoStep) *[]DemoReceipt { return &s.Receipts }, list(&strictjson.Object[DemoReceipt]{
								Name: "demoReceipt", Doc: "One receipt.",
								Members: func() []strictjson.Member[DemoReceipt] {
									return []strictjson.Member[DemoReceipt]{
										field("messageId", "the message", func(r *DemoReceipt) *string { return &r.MessageID }, word),
										field("recipientParticipantId", "the recipient", func(r *DemoReceipt) *string { return &r.Recipient }, word),
										field("state", "how far it has come", func(r *DemoReceipt) *string { return &r.State }, word),
									}
								},
							})),
						}
					},
				})),
			}
		},
	})
}}
