package view

import (
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/shape"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Claimed is the answer of claim.
var Claimed = &Schema[core.ClaimResult]{name: "claimed", doc: "A granted claim.", data: func() strictjson.Type[core.ClaimResult] {
	return strictjson.Nested(shape.Claimed)
}}

// ReleasedData is the answer of release.
type ReleasedData struct{ Claim protocol.Claim }

// Released is the answer of release.
var Released = &Schema[ReleasedData]{name: "released", doc: "The claim that is gone.", data: func() strictjson.Type[ReleasedData] {
	return strictjson.Nested(&strictjson.Object[ReleasedData]{
		Name: "released",
		Members: func() []strictjson.Member[ReleasedData] {
			return []strictjson.Member[ReleasedData]{
				field("claim", "what was released", func(r *ReleasedData) *protocol.Claim { return &r.Claim }, strictjson.Nested(shape.Claim)),
			}
		},
	})
}}
