package answer

import (
	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Claimed defines a granted claim.
var Claimed = shape.Claimed

// ReleasedData is the answer of acc_release.
type ReleasedData struct{ Claim protocol.Claim }

// Released defines ReleasedData.
var Released = &strictjson.Object[ReleasedData]{
	Name: "released", Doc: "The claim that is gone.",
	Members: func() []strictjson.Member[ReleasedData] {
		return []strictjson.Member[ReleasedData]{
			shape.Field("claim", "what was released", func(r *ReleasedData) *protocol.Claim { return &r.Claim }, nested(shape.Claim)),
		}
	},
}

// WorkData is the answer of acc_work; without an intent it was cleared.
type WorkData struct{ Intent *protocol.Intent }

// Work defines WorkData.
var Work = &strictjson.Object[WorkData]{
	Name: "work", Doc: "What the caller says it is doing.",
	Members: func() []strictjson.Member[WorkData] {
		return []strictjson.Member[WorkData]{
			shape.Nullable("intent", "null: cleared", func(w *WorkData) **protocol.Intent { return &w.Intent }, strictjson.Pointer(nested(protocol.IntentObject()))),
		}
	},
}
