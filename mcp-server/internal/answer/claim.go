package answer

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

var claimObject = &strictjson.Object[protocol.Claim]{
	Name: "claim", Doc: "A lease on a resource, without its credential.",
	Members: []strictjson.Member[protocol.Claim]{
		field("claimId", "its id", func(c *protocol.Claim) *string { return &c.ClaimID }, word),
		field("resource", "the name as it is stored", func(c *protocol.Claim) *string { return &c.Resource }, word),
		field("mode", "whether others may claim it too", func(c *protocol.Claim) *protocol.ClaimMode { return &c.Mode }, claimModes),
		field("enforcement", "whether guarded clients refuse edits of others", func(c *protocol.Claim) *protocol.Enforcement { return &c.Enforcement }, enforcements),
		field("reason", "why", func(c *protocol.Claim) *string { return &c.Reason }, text),
		field("ownerSessionId", "who holds it", func(c *protocol.Claim) *string { return &c.OwnerSessionID }, word),
		field("acquiredAt", "since when", func(c *protocol.Claim) *time.Time { return &c.AcquiredAt }, when),
		field("expiresAt", "until when", func(c *protocol.Claim) *time.Time { return &c.ExpiresAt }, when),
	},
}

// Claimed defines a granted claim.
var Claimed = &strictjson.Object[core.ClaimResult]{
	Name: "claimed", Doc: "A granted claim.",
	Members: []strictjson.Member[core.ClaimResult]{
		field("claim", "the claim", func(r *core.ClaimResult) *protocol.Claim { return &r.Claim }, nested(claimObject)),
		field("renewed", "it was held already; its lease starts again", func(r *core.ClaimResult) *bool { return &r.Renewed }, truth),
	},
}

// ReleasedData is the answer of acc_release.
type ReleasedData struct{ Claim protocol.Claim }

// Released defines ReleasedData.
var Released = &strictjson.Object[ReleasedData]{
	Name: "released", Doc: "The claim that is gone.",
	Members: []strictjson.Member[ReleasedData]{
		field("claim", "what was released", func(r *ReleasedData) *protocol.Claim { return &r.Claim }, nested(claimObject)),
	},
}

// WorkData is the answer of acc_work; without an intent it was cleared.
type WorkData struct{ Intent *protocol.Intent }

// Work defines WorkData.
var Work = &strictjson.Object[WorkData]{
	Name: "work", Doc: "What the caller says it is doing.",
	Members: []strictjson.Member[WorkData]{
		nullable("intent", "null: cleared", func(w *WorkData) **protocol.Intent { return &w.Intent }, strictjson.Pointer(nested(protocol.IntentObject()))),
	},
}
