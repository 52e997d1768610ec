package adapter

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/protocol"
)

// EventKind is what a client's hook point means to acc. The vocabulary is closed.
type EventKind string

// The event kinds.
const (
	SessionStart EventKind = "sessionStart" // a conversation begins, resumes, or begins again after compaction
	SessionEnd   EventKind = "sessionEnd"   // a conversation ends; clients forget to say it, or say it often
	Heartbeat    EventKind = "heartbeat"    // nothing but a sign of life
	BeforeTurn   EventKind = "beforeTurn"   // a prompt is about to reach the model
	BeforeTool   EventKind = "beforeTool"   // a tool is about to run and can still be refused
	AfterTool    EventKind = "afterTool"    // a tool ran; its result is about to reach the model
	TurnEnd      EventKind = "turnEnd"      // the model stopped
	ChildStart   EventKind = "childStart"   // a subagent of the session begins
	ChildEnd     EventKind = "childEnd"     // a subagent of the session ends
	Other        EventKind = "other"        // anything else; it counts as a sign of life
)

// EventKinds lists every kind in a fixed order.
var EventKinds = [...]EventKind{
	SessionStart, SessionEnd, Heartbeat, BeforeTurn, BeforeTool, AfterTool, TurnEnd, ChildStart, ChildEnd, Other,
}

// Origin says who began a turn. Clients do not tell; an adapter derives it from acc's own wake mark and
// from the wrappers of the client, and the prompt itself is not kept.
type Origin string

// The origins. Unknown is the zero value.
const (
	OriginUnknown      Origin = ""
	OriginHuman        Origin = "human"        // typed, or at least nothing says otherwise in a client that marks the rest
	OriginPeer         Origin = "peer"         // a wake of acc, or a message of another session of the client
	OriginContinuation Origin = "continuation" // the client went on by itself: a finished task, a hook's feedback
)

// Event is a client's hook call, reduced to what acc may know. Empty members are unknown.
type Event struct {
	Kind            EventKind
	Name            string   // the client's own name of the event, which tells its hooks apart
	SessionID       string   // the client's own id of the conversation; nothing else identifies it
	ParentSessionID string   // of a conversation that another one started
	Cwd             string   // absolute directory of the session
	Model           string   // as the client names it
	ClientVersion   string   // of the running client, from the call itself
	Source          string   // of a SessionStart: startup, resume, clear, compact
	Reason          string   // of a SessionEnd, in the client's word
	Tool            string   // the client's name of the tool
	Targets         []string // paths that the tool is about to write, as written; relative ones start at Cwd; with a slash at the end: and all below
	PermissionMode  string   // the client's word
	AgentID         string   // the subagent that acts, within the same session
	Continuation    bool     // the client says that a hook already made this turn go on
	Origin          Origin   // of a BeforeTurn
	Carries         string   // of a BeforeTurn: the id of the message that its prompt is, handed over as an OfferMessage
}

// Limits of an event.
const (
	MaxSessionIDBytes = 512      // of the client's own session id
	MaxWordBytes      = 200      // of a one-word fact such as Model or Source
	MaxPathBytes      = 4096     // of Cwd and of each target
	MaxTargets        = 512      // paths of one tool call
	MaxPayloadBytes   = 16 << 20 // of what a client may send to a hook; a payload can hold a file twice
)

// settle cuts away what acc has no use for and refuses what it could not act on safely. A word that is
// too long or holds control characters becomes unknown: it would only be shown. The session id, the
// directory and the targets decide something, so they are refused instead.
func settle(e Event) (Event, error) {
	if !knownKind(e.Kind) {
		return Event{}, dataError("the adapter named an unknown event kind")
	}
	if e.SessionID == "" || len(e.SessionID) > MaxSessionIDBytes || !plain(e.SessionID) {
		return Event{}, dataError("the hook payload has no usable session id")
	}
	if e.Cwd != "" && (len(e.Cwd) > MaxPathBytes || !filepath.IsAbs(e.Cwd) || strings.ContainsRune(e.Cwd, 0)) {
		return Event{}, dataError("the hook payload's directory is not an absolute path")
	}
	if len(e.Targets) > MaxTargets {
		return Event{}, dataError("the tool call names too many files to check")
	}
	for _, t := range e.Targets {
		if t == "" || len(t) > MaxPathBytes || strings.ContainsRune(t, 0) {
			return Event{}, dataError("the tool call names a file that cannot be checked")
		}
	}
	for _, word := range []*string{
		&e.Name, &e.ParentSessionID, &e.Model, &e.ClientVersion, &e.Source, &e.Reason, &e.Tool, &e.PermissionMode, &e.AgentID, &e.Carries,
	} {
		if len(*word) > MaxWordBytes || !plain(*word) {
			*word = ""
		}
	}
	return e, nil
}

func knownKind(k EventKind) bool {
	for _, known := range EventKinds {
		if k == known {
			return true
		}
	}
	return false
}

// plain says that s is valid UTF-8 without control characters.
func plain(s string) bool {
	for _, r := range s {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return utf8.ValidString(s)
}

func dataError(message string) error { return protocol.DataError("", message) }
