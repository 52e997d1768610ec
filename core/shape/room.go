package shape

import (
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Claim is a lease, without its credential.
var Claim = &strictjson.Object[protocol.Claim]{
	Name: "claim", Doc: "A lease on a resource, without its credential.",
	Members: func() []strictjson.Member[protocol.Claim] {
		return []strictjson.Member[protocol.Claim]{
			Field("claimId", "its id", func(c *protocol.Claim) *string { return &c.ClaimID }, Word),
			Field("resource", "the name as it is stored", func(c *protocol.Claim) *string { return &c.Resource }, Word),
			Field("mode", "whether others may claim it too", func(c *protocol.Claim) *protocol.ClaimMode { return &c.Mode }, ClaimModes),
			Field("enforcement", "whether guarded clients refuse edits of others", func(c *protocol.Claim) *protocol.Enforcement { return &c.Enforcement }, Enforcements),
			Field("reason", "why, in the owner's words", func(c *protocol.Claim) *string { return &c.Reason }, Text),
			Field("ownerSessionId", "who holds it", func(c *protocol.Claim) *string { return &c.OwnerSessionID }, Word),
			Field("acquiredAt", "since when", func(c *protocol.Claim) *time.Time { return &c.AcquiredAt }, When),
			Field("expiresAt", "until when", func(c *protocol.Claim) *time.Time { return &c.ExpiresAt }, When),
		}
	},
}

// Claimed is a granted claim.
var Claimed = &strictjson.Object[core.ClaimResult]{
	Name: "claimed", Doc: "A granted claim.",
	Members: func() []strictjson.Member[core.ClaimResult] {
		return []strictjson.Member[core.ClaimResult]{
			Field("claim", "the claim", func(r *core.ClaimResult) *protocol.Claim { return &r.Claim }, strictjson.Nested(Claim)),
			Field("renewed", "the session held it already; its lease starts again", func(r *core.ClaimResult) *bool { return &r.Renewed }, Truth),
			Field("lapsed", "other claims of the session whose lease had run out: told this once, and released", func(r *core.ClaimResult) *[]protocol.Claim { return &r.Lapsed }, List(Claim)),
		}
	},
}

// LiveClaim is a claim as status lists it.
var LiveClaim = &strictjson.Object[core.ClaimStatus]{
	Name: "liveClaim", Doc: "One live claim.",
	Members: func() []strictjson.Member[core.ClaimStatus] {
		return []strictjson.Member[core.ClaimStatus]{
			Field("claimId", "its id", func(c *core.ClaimStatus) *string { return &c.ClaimID }, Word),
			Field("resource", "what is claimed", func(c *core.ClaimStatus) *string { return &c.Resource }, Word),
			Field("mode", "whether others may claim it too", func(c *core.ClaimStatus) *protocol.ClaimMode { return &c.Mode }, ClaimModes),
			Field("enforcement", "whether guarded clients refuse edits of others", func(c *core.ClaimStatus) *protocol.Enforcement { return &c.Enforcement }, Enforcements),
			Field("reason", "why, in the owner's words", func(c *core.ClaimStatus) *string { return &c.Reason }, Text),
			Field("ownerSessionId", "who holds it", func(c *core.ClaimStatus) *string { return &c.OwnerSessionID }, Word),
			Nullable("ownerParticipantId", "whom to ask", func(c *core.ClaimStatus) *string { return &c.OwnerParticipantID }, Word),
			Field("expiresAt", "until when", func(c *core.ClaimStatus) *time.Time { return &c.ExpiresAt }, When),
		}
	},
}

// Waiting is an obligation of somebody else towards the caller.
var Waiting = &strictjson.Object[core.Waiting]{
	Name: "waiting", Doc: "Something that the calling session waits for.",
	Members: func() []strictjson.Member[core.Waiting] {
		return []strictjson.Member[core.Waiting]{
			Field("messageId", "the caller's message", func(w *core.Waiting) *string { return &w.MessageID }, Word),
			Field("kind", "its type", func(w *core.Waiting) *protocol.MessageKind { return &w.MessageKind }, MessageKinds),
			Field("subject", "its subject", func(w *core.Waiting) *string { return &w.Subject }, Text),
			Field("recipientParticipantId", "who has not settled it", func(w *core.Waiting) *string { return &w.Recipient }, Word),
			Field("state", "how far it has come", func(w *core.Waiting) *protocol.ReceiptState { return &w.State }, ReceiptStates),
			Field("since", "since when", func(w *core.Waiting) *time.Time { return &w.Since }, When),
		}
	},
}
