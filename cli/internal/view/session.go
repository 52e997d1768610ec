package view

import (
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Attached is the answer of attach, the only one that carries a generation.
var Attached = &Schema[protocol.Session]{name: "attached", doc: "The owner pair of an opened session. Keep the generation: it is what proves who speaks.", data: func() strictjson.Type[protocol.Session] {
	return strictjson.Nested(&strictjson.Object[protocol.Session]{
		Name: "attached",
		Members: func() []strictjson.Member[protocol.Session] {
			return []strictjson.Member[protocol.Session]{
				field("sessionId", "for --session or ACC_SESSION", func(s *protocol.Session) *string { return &s.SessionID }, word),
				field("generation", "for --generation or ACC_GENERATION", func(s *protocol.Session) *string { return &s.Generation }, word),
				field("participantId", "what others address", func(s *protocol.Session) *string { return &s.ParticipantID }, word),
			}
		},
	})
}}

// HeartbeatData is the answer of heartbeat.
type HeartbeatData struct {
	SessionID   string
	HeartbeatAt time.Time
}

// Heartbeat is the answer of heartbeat.
var Heartbeat = &Schema[HeartbeatData]{name: "heartbeat", doc: "The newest sign of life.", data: func() strictjson.Type[HeartbeatData] {
	return strictjson.Nested(&strictjson.Object[HeartbeatData]{
		Name: "heartbeat",
		Members: func() []strictjson.Member[HeartbeatData] {
			return []strictjson.Member[HeartbeatData]{
				field("sessionId", "the session", func(h *HeartbeatData) *string { return &h.SessionID }, word),
				field("heartbeatAt", "when it was last known to live; written at most every 30 s", func(h *HeartbeatData) *time.Time { return &h.HeartbeatAt }, when),
			}
		},
	})
}}

// Detached is the answer of detach.
var Detached = &Schema[protocol.Session]{name: "detached", doc: "The ended session.", data: func() strictjson.Type[protocol.Session] {
	return strictjson.Nested(&strictjson.Object[protocol.Session]{
		Name: "detached",
		Members: func() []strictjson.Member[protocol.Session] {
			return []strictjson.Member[protocol.Session]{
				field("sessionId", "the session", func(s *protocol.Session) *string { return &s.SessionID }, word),
				nullable("participantId", "its participant; null: it was alone, and left no trace", func(s *protocol.Session) *string { return &s.ParticipantID }, word),
				field("state", "closed", func(s *protocol.Session) *protocol.SessionState { return &s.State }, sessionStates),
			}
		},
	})
}}
