package view

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var claimObject = &strictjson.Object[protocol.Claim]{
	Name: "claim", Doc: "A lease on a resource.",
	Members: []strictjson.Member[protocol.Claim]{
		field("claimId", "its id", func(c *protocol.Claim) *string { return &c.ClaimID }, word),
		field("resource", "the name as it is stored", func(c *protocol.Claim) *string { return &c.Resource }, word),
		field("mode", "whether others may claim it too", func(c *protocol.Claim) *protocol.ClaimMode { return &c.Mode }, claimModes),
		field("enforcement", "whether guarded clients refuse edits of others", func(c *protocol.Claim) *protocol.Enforcement { return &c.Enforcement }, enforcements),
		field("reason", "why, in the owner's words", func(c *protocol.Claim) *string { return &c.Reason }, text),
		field("ownerSessionId", "who holds it", func(c *protocol.Claim) *string { return &c.OwnerSessionID }, word),
		field("acquiredAt", "since when", func(c *protocol.Claim) *time.Time { return &c.AcquiredAt }, when),
		field("expiresAt", "until when", func(c *protocol.Claim) *time.Time { return &c.ExpiresAt }, when),
	},
}

// Claimed is the answer of claim.
var Claimed = newSchema("claimed", "A granted claim.", strictjson.Nested(&strictjson.Object[core.ClaimResult]{
	Name: "claimed",
	Members: []strictjson.Member[core.ClaimResult]{
		field("claim", "the claim", func(r *core.ClaimResult) *protocol.Claim { return &r.Claim }, strictjson.Nested(claimObject)),
		field("renewed", "the session held it already; its lease starts again", func(r *core.ClaimResult) *bool { return &r.Renewed }, truth),
	},
}))

// ReleasedData is the answer of release.
type ReleasedData struct{ Claim protocol.Claim }

// Released is the answer of release.
var Released = newSchema("released", "The claim that is gone.", strictjson.Nested(&strictjson.Object[ReleasedData]{
	Name: "released",
	Members: []strictjson.Member[ReleasedData]{
		field("claim", "what was released", func(r *ReleasedData) *protocol.Claim { return &r.Claim }, strictjson.Nested(claimObject)),
	},
}))
