package view

import (
	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Claimed is the answer of claim.
var Claimed = newSchema("claimed", "A granted claim.", strictjson.Nested(shape.Claimed))

// ReleasedData is the answer of release.
type ReleasedData struct{ Claim protocol.Claim }

// Released is the answer of release.
var Released = newSchema("released", "The claim that is gone.", strictjson.Nested(&strictjson.Object[ReleasedData]{
	Name: "released",
	Members: func() []strictjson.Member[ReleasedData] {
		return []strictjson.Member[ReleasedData]{
			field("claim", "what was released", func(r *ReleasedData) *protocol.Claim { return &r.Claim }, strictjson.Nested(shape.Claim)),
		}
	},
}))
