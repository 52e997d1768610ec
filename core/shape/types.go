package shape

import (
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Many is the length of a list that is not cut here: core bounds what it gives.
const Many = 1 << 20

// The types that tables share. What comes from a record was validated when it was stored, so the types of
// an answer say what a member is, not how long it may be.
var (
	Word  = strictjson.String[string](&strictjson.Rule{Label: "id or word"})
	Text  = strictjson.String[string](&strictjson.Rule{Label: "text", Empty: true})
	When  = strictjson.Time()
	Truth = strictjson.Bool()
	Count = strictjson.Int(0, 1<<53)
	Words = strictjson.List(Word, 0, Many)
	Lines = strictjson.List(Text, 0, Many)
)

// The vocabularies that answers use.
var (
	MessageKinds  = strictjson.Enum(protocol.Note, protocol.Question, protocol.Request, protocol.Answer, protocol.Decision, protocol.Handoff)
	Obligations   = strictjson.Enum(protocol.ObligationNone, protocol.ObligationAcknowledge, protocol.ObligationReply)
	ReceiptStates = strictjson.Enum(protocol.ReceiptStates[:]...)
	Presences     = strictjson.Enum(protocol.Online, protocol.Stale, protocol.Offline, protocol.PresenceUnknown)
	Enforcements  = strictjson.Enum(protocol.Guarded, protocol.Advisory)
	Lifecycles    = strictjson.Enum(protocol.Managed, protocol.Manual)
	ClaimModes    = strictjson.Enum(protocol.Shared, protocol.Exclusive)
	Sources       = strictjson.Enum(protocol.WorkspaceSources[:]...)
	Protections   = strictjson.Enum(core.ProtectionNone, core.ProtectionGuarded, core.ProtectionAdvisory)
	Attentions    = strictjson.Enum(core.AttentionKinds[:]...)
)

// Field keeps tables short: a member that is always there.
func Field[T, V any](name, doc string, at func(*T) *V, typ strictjson.Type[V]) strictjson.Member[T] {
	return strictjson.Field(name, doc, at, typ)
}

// Nullable is a member that is always there and may be null.
func Nullable[T, V any](name, doc string, at func(*T) *V, typ strictjson.Type[V]) strictjson.Member[T] {
	return strictjson.Field(name, doc, at, strictjson.Nullable(typ))
}

// List is an array of objects.
func List[T any](o *strictjson.Object[T]) strictjson.Type[[]T] {
	return strictjson.List(strictjson.Nested(o), 0, Many)
}
