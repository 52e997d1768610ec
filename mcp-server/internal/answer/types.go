package answer

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

const many = 1 << 20 // no list is cut here: core bounds what it gives

// What comes from a record was validated when it was stored, so the types of an answer say what a member
// is, not how long it may be.
var (
	word  = strictjson.String[string](&strictjson.Rule{Label: "id or word"})
	text  = strictjson.String[string](&strictjson.Rule{Label: "text", Empty: true})
	when  = strictjson.Time()
	truth = strictjson.Bool()
	count = strictjson.Int(0, 1<<53)
	words = strictjson.List(word, 0, many)
	lines = strictjson.List(text, 0, many)

	kinds         = strictjson.Enum(protocol.Note, protocol.Question, protocol.Request, protocol.Answer, protocol.Decision, protocol.Handoff)
	obligations   = strictjson.Enum(protocol.ObligationNone, protocol.ObligationAcknowledge, protocol.ObligationReply)
	receiptStates = strictjson.Enum(protocol.ReceiptStates[:]...)
	presences     = strictjson.Enum(protocol.Online, protocol.Stale, protocol.Offline, protocol.PresenceUnknown)
	enforcements  = strictjson.Enum(protocol.Guarded, protocol.Advisory)
	lifecycles    = strictjson.Enum(protocol.Managed, protocol.Manual)
	claimModes    = strictjson.Enum(protocol.Shared, protocol.Exclusive)
	sources       = strictjson.Enum(protocol.SourceConfig, protocol.SourceGit, protocol.SourceDirectory)
	protections   = strictjson.Enum(core.ProtectionNone, core.ProtectionGuarded, core.ProtectionAdvisory)
	attentions    = strictjson.Enum(core.AttentionKinds[:]...)
)

// field keeps the tables short: a member that is always there.
func field[T, V any](name, doc string, at func(*T) *V, typ strictjson.Type[V]) strictjson.Member[T] {
	return strictjson.Field(name, doc, at, typ)
}

// nullable is a member that is always there and may be null.
func nullable[T, V any](name, doc string, at func(*T) *V, typ strictjson.Type[V]) strictjson.Member[T] {
	return strictjson.Field(name, doc, at, strictjson.Nullable(typ))
}

// list is an array of objects.
func list[T any](o *strictjson.Object[T]) strictjson.Type[[]T] {
	return strictjson.List(strictjson.Nested(o), 0, many)
}

// nested is an object within an object.
func nested[T any](o *strictjson.Object[T]) strictjson.Type[T] { return strictjson.Nested(o) }

// Millis cuts a time to the whole milliseconds that JSON carries.
func Millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
