package view

import (
	"time"

	"github.com/acc-control-plane/acc/delivery-router/delivery"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// IntentData is the answer of work; no intent: it was cleared.
type IntentData struct{ Intent *protocol.Intent }

var intentObject = &strictjson.Object[protocol.Intent]{
	Name: "intent", Doc: "What a session is doing.",
	Members: func() []strictjson.Member[protocol.Intent] {
		return []strictjson.Member[protocol.Intent]{
			field("sessionId", "whose", func(i *protocol.Intent) *string { return &i.SessionID }, word),
			field("summary", "one line", func(i *protocol.Intent) *string { return &i.Summary }, text),
			field("mode", "what kind of work", func(i *protocol.Intent) *protocol.IntentMode { return &i.Mode }, intentModes),
			field("state", "how far", func(i *protocol.Intent) *protocol.IntentState { return &i.State }, intentStates),
			field("resourceHints", "what it is about to touch, by stored name", func(i *protocol.Intent) *[]string { return &i.ResourceHints }, words),
			field("updatedAt", "when it said so", func(i *protocol.Intent) *time.Time { return &i.UpdatedAt }, when),
		}
	},
}

// Intent is the answer of work.
var Intent = &Schema[IntentData]{name: "intent", doc: "What the session now says it is doing.", data: func() strictjson.Type[IntentData] {
	return strictjson.Nested(&strictjson.Object[IntentData]{
		Name: "intent",
		Members: func() []strictjson.Member[IntentData] {
			return []strictjson.Member[IntentData]{
				nullable("intent", "null: it was cleared", func(d *IntentData) **protocol.Intent { return &d.Intent }, strictjson.Pointer(strictjson.Nested(intentObject))),
			}
		},
	})
}}

// FinishedData is the answer of finish.
type FinishedData struct {
	SentData
	Session          protocol.Session
	ReleasedClaimIDs []string
}

// Finished is the answer of finish.
var Finished = &Schema[FinishedData]{name: "finished", doc: "The recorded handoff and the ended session.", data: func() strictjson.Type[FinishedData] {
	return strictjson.Nested(&strictjson.Object[FinishedData]{
		Name: "finished",
		Members: func() []strictjson.Member[FinishedData] {
			return []strictjson.Member[FinishedData]{
				field("message", "the handoff", func(f *FinishedData) *protocol.Message { return &f.Message }, strictjson.Nested(messageObject)),
				field("delivery", "one entry per recipient", func(f *FinishedData) *[]delivery.Result { return &f.Delivery }, list(delivery.Object())),
				field("duplicate", "the same finish was recorded before; nothing was written now", func(f *FinishedData) *bool { return &f.Duplicate }, truth),
				field("sessionId", "the session that ended", func(f *FinishedData) *string { return &f.Session.SessionID }, word),
				field("releasedClaimIds", "claims that ended with it", func(f *FinishedData) *[]string { return &f.ReleasedClaimIDs }, words),
			}
		},
	})
}}

// Whoami is the answer of whoami.
var Whoami = &Schema[protocol.Session]{name: "whoami", doc: "The session that the owner pair stands for.", data: func() strictjson.Type[protocol.Session] {
	return strictjson.Nested(openSessionObject)
}}
