package protocol

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var eventObject = strictjson.Object[Event]{
	Name: "event", MaxBytes: maxRecordInput,
	Doc: "An immutable entry of the journal.",
	Members: func() []strictjson.Member[Event] {
		return []strictjson.Member[Event]{
			schemaVersion[Event](),
			strictjson.Field("sequence", "place in the journal; the cursor of whoever read it", func(e *Event) *uint64 { return &e.Sequence }, strictjson.CodedString(&sequence)),
			strictjson.Field("eventId", "unique", func(e *Event) *string { return &e.EventID }, idType),
			strictjson.Field("workspaceId", "the room", func(e *Event) *string { return &e.WorkspaceID }, idType),
			strictjson.Field("actorSessionId", "whose doing it is", func(e *Event) *string { return &e.ActorSessionID }, idType),
			strictjson.Field("type", "see events", func(e *Event) *EventType { return &e.Type }, strictjson.Enum(EventTypes[:]...)),
			strictjson.Field("occurredAt", "clock of the actor", func(e *Event) *time.Time { return &e.OccurredAt }, timestamp),
			strictjson.Field("payload", "see events; readers tolerate members they do not know", func(e *Event) *jsontext.Value { return &e.Payload }, strictjson.RawObject()),
		}
	},
}

var bindingObject = strictjson.Object[DeliveryBinding]{
	Name: "delivery binding",
	Doc:  "Says that a session generation can be reached. Ephemeral; the lease says how long its owner vouches for it, retiredAt that the session gave it up.",
	Members: func() []strictjson.Member[DeliveryBinding] {
		return []strictjson.Member[DeliveryBinding]{
			strictjson.Field("sessionId", "who can be reached", func(b *DeliveryBinding) *string { return &b.SessionID }, idType),
			strictjson.Field("generation", "owner credential, never shown", func(b *DeliveryBinding) *string { return &b.Generation }, secret),
			strictjson.Field("adapterId", "whose endpoint it is", func(b *DeliveryBinding) *string { return &b.AdapterID }, idType),
			strictjson.Field("clientVersion", "of the running client", func(b *DeliveryBinding) *string { return &b.ClientVersion }, transport),
			strictjson.Field("availableModes", "what the endpoint can do", func(b *DeliveryBinding) *[]DeliveryMode { return &b.AvailableModes },
				strictjson.Set(strictjson.Enum(NextTurn, LivePush, IdleWake, BusyQueue, ReplyRoute), 0, 5)),
			strictjson.Field("livePolicy", "which messages may spend a turn", func(b *DeliveryBinding) *LivePolicy { return &b.LivePolicy },
				strictjson.Enum(LiveOff, LiveActionable, LiveAll)),
			strictjson.Field("opaqueEndpointRef", "meant for the adapter alone, never shown", func(b *DeliveryBinding) *string { return &b.OpaqueEndpointRef }, strictjson.Prose(MaxEndpoint)),
			strictjson.Field("leaseUntil", "end of the owner's word", func(b *DeliveryBinding) *time.Time { return &b.LeaseUntil }, timestamp),
			strictjson.Optional("retiredAt", "when the session gave it up", func(b *DeliveryBinding) *time.Time { return &b.RetiredAt }, strictjson.Nullable(timestamp)),
		}
	},
}

var beatObject = strictjson.Object[PresenceBeat]{
	Name: "presence beat", Doc: "A sign of life of a session generation. Ephemeral; the newer of it and heartbeatAt counts.",
	Members: func() []strictjson.Member[PresenceBeat] {
		return []strictjson.Member[PresenceBeat]{
			strictjson.Field("sessionId", "who lives", func(b *PresenceBeat) *string { return &b.SessionID }, idType),
			strictjson.Field("generationRef", "of the generation that speaks", func(b *PresenceBeat) *string { return &b.GenerationRef }, genRef),
			strictjson.Field("heartbeatAt", "when", func(b *PresenceBeat) *time.Time { return &b.HeartbeatAt }, timestamp),
		}
	},
}
