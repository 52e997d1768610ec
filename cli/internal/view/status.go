package view

import (
	"time"

	"github.com/acc-control-plane/acc/cli/internal/doctor"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var rosterObject = &strictjson.Object[core.SessionStatus]{
	Name: "session", Doc: "One session of the room.",
	Members: func() []strictjson.Member[core.SessionStatus] {
		return []strictjson.Member[core.SessionStatus]{
			field("sessionId", "its id", func(s *core.SessionStatus) *string { return &s.SessionID }, word),
			field("participantId", "what to address", func(s *core.SessionStatus) *string { return &s.ParticipantID }, word),
			field("harness", "its client", func(s *core.SessionStatus) *string { return &s.Harness }, word),
			nullable("parentSessionId", "the session that started it", func(s *core.SessionStatus) *string { return &s.ParentSessionID }, word),
			nullable("checkoutRoot", "where it works", func(s *core.SessionStatus) *string { return &s.CheckoutRoot }, text),
			nullable("branch", "on what branch", func(s *core.SessionStatus) *string { return &s.Branch }, text),
			field("enforcement", "whether its client refuses guarded edits", func(s *core.SessionStatus) *protocol.Enforcement { return &s.Enforcement }, enforcements),
			field("lifecycle", "whether its client or a person ends it", func(s *core.SessionStatus) *protocol.Lifecycle { return &s.Lifecycle }, lifecycles),
			field("presence", "whether it is there", func(s *core.SessionStatus) *protocol.Presence { return &s.Presence }, presences),
			field("heartbeatAt", "when it was last known to live", func(s *core.SessionStatus) *time.Time { return &s.HeartbeatAt }, when),
			field("processTracked", "whether presence rests on a known process", func(s *core.SessionStatus) *bool { return &s.ProcessTracked }, truth),
			nullable("endReason", "why it ended, in the client's word", func(s *core.SessionStatus) *string { return &s.EndReason }, text),
			nullable("intent", "what it says it is doing", func(s *core.SessionStatus) *string { return &s.Intent }, text),
			field("unretrieved", "messages to its participant that were not read exactly", self[core.SessionStatus], strictjson.Nested(unretrievedObject)),
			field("waiting", "messages that wait for a next turn of its participant", func(s *core.SessionStatus) *int { return &s.Waiting }, count),
			field("countsCut", "the three counts stopped at their limit: there are at least that many", func(s *core.SessionStatus) *bool { return &s.CountsCut }, truth),
			field("liveDelivery", "an endpoint that can make it look was published and not given up", func(s *core.SessionStatus) *bool { return &s.LiveDelivery }, truth),
			field("liveLeaseCurrent", "and its owner vouches for it now", func(s *core.SessionStatus) *bool { return &s.LiveLeaseCurrent }, truth),
		}
	},
}

// self lets an object group members of the value that holds it.
func self[T any](t *T) *T { return t }

var unretrievedObject = &strictjson.Object[core.SessionStatus]{
	Name: "unretrieved", Doc: "Messages that were not read exactly.",
	Members: func() []strictjson.Member[core.SessionStatus] {
		return []strictjson.Member[core.SessionStatus]{
			field("queued", "nobody was shown them", func(s *core.SessionStatus) *int { return &s.Queued }, count),
			field("offered", "shown", func(s *core.SessionStatus) *int { return &s.Offered }, count),
		}
	},
}

var bindingObject = &strictjson.Object[core.BindingStatus]{
	Name: "deliveryBinding", Doc: "One published endpoint, without the endpoint.",
	Members: func() []strictjson.Member[core.BindingStatus] {
		return []strictjson.Member[core.BindingStatus]{
			field("sessionId", "whose", func(b *core.BindingStatus) *string { return &b.SessionID }, word),
			field("participantId", "its participant", func(b *core.BindingStatus) *string { return &b.ParticipantID }, word),
			field("adapterId", "what serves it", func(b *core.BindingStatus) *string { return &b.AdapterID }, word),
			field("clientVersion", "of the client behind it", func(b *core.BindingStatus) *string { return &b.ClientVersion }, text),
			field("availableModes", "what it can do", func(b *core.BindingStatus) *[]protocol.DeliveryMode { return &b.Modes }, strictjson.List(deliveryModes, 0, manyItems)),
			field("livePolicy", "which messages may spend a turn", func(b *core.BindingStatus) *protocol.LivePolicy { return &b.LivePolicy }, livePolicies),
			field("reachable", "the lease runs; a lapsed one may be verified again", func(b *core.BindingStatus) *bool { return &b.Reachable }, truth),
			field("leaseUntil", "how long its owner vouches for it", func(b *core.BindingStatus) *time.Time { return &b.LeaseUntil }, when),
		}
	},
}

var countsObject = &strictjson.Object[core.Counts]{
	Name: "counts", Doc: "The room summed up.",
	Members: func() []strictjson.Member[core.Counts] {
		return []strictjson.Member[core.Counts]{
			field("live", "sessions that are online", func(c *core.Counts) *int { return &c.Live }, count),
			field("stale", "sessions that may be there and do not answer", func(c *core.Counts) *int { return &c.Stale }, count),
			field("claims", "live claims", func(c *core.Counts) *int { return &c.Claims }, count),
			field("messages", "recorded so far", func(c *core.Counts) *int { return &c.Messages }, count),
			field("queued", "messages to those listed that nobody was shown", func(c *core.Counts) *int { return &c.Queued }, count),
			field("offered", "messages to those listed that were shown and not read exactly", func(c *core.Counts) *int { return &c.Offered }, count),
		}
	},
}

var attentionObject = &strictjson.Object[core.AttentionItem]{
	Name: "attention", Doc: "Something that the calling session must know.",
	Members: func() []strictjson.Member[core.AttentionItem] {
		return []strictjson.Member[core.AttentionItem]{
			field("kind", "which rule", func(a *core.AttentionItem) *core.AttentionKind { return &a.AttentionKind }, attentions),
			field("priority", "1 is the most urgent", func(a *core.AttentionItem) *int { return &a.Priority }, strictjson.Int(1, 6)),
			field("sourceId", "the message or claim to act on", func(a *core.AttentionItem) *string { return &a.SourceID }, word),
			field("summary", "one line; may hold peer text", func(a *core.AttentionItem) *string { return &a.Summary }, text),
		}
	},
}

// StatusData is the answer of status.
type StatusData struct {
	core.Status
	Attempts []doctor.Attempt // of the sessions shown
}

// Status is the answer of status.
var Status = &Schema[StatusData]{name: "status", doc: "The room at one moment.", data: func() strictjson.Type[StatusData] {
	return strictjson.Nested(&strictjson.Object[StatusData]{
		Name: "status",
		Members: func() []strictjson.Member[StatusData] {
			return []strictjson.Member[StatusData]{
				field("workspaceId", "the room", func(s *StatusData) *string { return &s.WorkspaceID }, word),
				field("displayName", "what people call it", func(s *StatusData) *string { return &s.DisplayName }, text),
				field("source", "how it was found", func(s *StatusData) *protocol.WorkspaceSource { return &s.Source }, sources),
				field("materialised", "whether anything durable was recorded", func(s *StatusData) *bool { return &s.Materialised }, truth),
				field("protection", "how far claims protect files", func(s *StatusData) *core.Protection { return &s.Protection }, protections),
				field("participants", "the sessions of the room", func(s *StatusData) *[]core.SessionStatus { return &s.Sessions }, list(rosterObject)),
				field("claims", "the live claims", func(s *StatusData) *[]core.ClaimStatus { return &s.Claims }, list(shape.LiveClaim)),
				field("deliveryBindings", "the published endpoints", func(s *StatusData) *[]core.BindingStatus { return &s.Bindings }, list(bindingObject)),
				field("attempts", "the last attempt of each open session to publish an endpoint; they say nothing of any message", func(s *StatusData) *[]doctor.Attempt { return &s.Attempts }, list(attemptObject)),
				field("counts", "the room summed up", func(s *StatusData) *core.Counts { return &s.Counts }, strictjson.Nested(countsObject)),
				field("attention", "what the caller must know; empty without an owner pair", func(s *StatusData) *[]core.AttentionItem { return &s.Attention }, list(attentionObject)),
				field("waiting", "what the caller waits for; empty without an owner pair", func(s *StatusData) *[]core.Waiting { return &s.Waiting }, list(shape.Waiting)),
				field("cursor", "of the newest event", func(s *StatusData) *string { return &s.Cursor }, sequence),
				field("now", "when this was true", func(s *StatusData) *time.Time { return &s.Now }, when),
			}
		},
	})
}}
