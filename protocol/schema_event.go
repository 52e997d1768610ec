package protocol

import "github.com/acc-control-plane/acc/protocol/strictjson"

// Payload definitions are open: what is written is exactly the table, what is read may hold more.

var workspaceMaterialisedObject = strictjson.Object[WorkspaceMaterialisedPayload]{
	Name: string(WorkspaceMaterialised), Doc: "The room became durable.", Open: true,
}

var sessionOpenedObject = strictjson.Object[SessionOpenedPayload]{
	Name: string(SessionOpened), Doc: "A session began. Heartbeats and a resume append nothing.", Open: true,
	Members: func() []strictjson.Member[SessionOpenedPayload] {
		return []strictjson.Member[SessionOpenedPayload]{
			strictjson.Field("replaced", "generation of the dead session whose id was taken over", func(p *SessionOpenedPayload) *string { return &p.Replaced },
				strictjson.Nullable(genRef)),
		}
	},
}

var sessionClosedObject = strictjson.Object[SessionClosedPayload]{
	Name: string(SessionClosedEvent), Doc: "A session ended; the members are there when it ended by finish.", Open: true,
	Members: func() []strictjson.Member[SessionClosedPayload] {
		return []strictjson.Member[SessionClosedPayload]{
			strictjson.Optional("cause", "how", func(p *SessionClosedPayload) *string { return &p.Cause }, strictjson.Enum(CauseFinish)),
			strictjson.Optional("messageId", "the handoff", func(p *SessionClosedPayload) *string { return &p.MessageID }, idType),
			strictjson.Optional("sessionGenerationRef", "of the session that finished", func(p *SessionClosedPayload) *string { return &p.SessionGenerationRef }, genRef),
			strictjson.Optional("releasedClaimIds", "claims it gave up", func(p *SessionClosedPayload) *[]string { return &p.ReleasedClaimIDs },
				idSet),
		}
	},
	Rules: []string{"the members come all together or not at all"},
	Check: func(p *SessionClosedPayload) *strictjson.Error {
		finish := p.Cause != ""
		if (p.MessageID != "") != finish || (p.SessionGenerationRef != "") != finish || (p.ReleasedClaimIDs != nil) != finish {
			return strictjson.Fail("$.cause", "cause, messageId, sessionGenerationRef and releasedClaimIds come together")
		}
		return nil
	},
}

var intentPublishedObject = strictjson.Object[IntentPublishedPayload]{
	Name: string(IntentPublished), Doc: "The actor said what it is doing.", Open: true,
}

var intentClearedObject = strictjson.Object[IntentClearedPayload]{
	Name: string(IntentCleared), Doc: "The actor took it back.", Open: true,
}

const claimIDDoc = "the claim"

var claimAcquiredObject = strictjson.Object[ClaimAcquiredPayload]{
	Name: string(ClaimAcquired), Doc: "The actor holds a claim.", Open: true,
	Members: func() []strictjson.Member[ClaimAcquiredPayload] {
		return []strictjson.Member[ClaimAcquiredPayload]{
			strictjson.Field("claimId", claimIDDoc, func(p *ClaimAcquiredPayload) *string { return &p.ClaimID }, idType),
			strictjson.Field("resource", "what is held", func(p *ClaimAcquiredPayload) *string { return &p.Resource }, resource),
			strictjson.Field("mode", "shared claims coexist", func(p *ClaimAcquiredPayload) *ClaimMode { return &p.Mode }, claimMode),
		}
	},
}

var claimRenewedObject = strictjson.Object[ClaimRenewedPayload]{
	Name: string(ClaimRenewed), Doc: "A lease was extended; resource and mode are absent when the claim was named by its id.", Open: true,
	Members: func() []strictjson.Member[ClaimRenewedPayload] {
		return []strictjson.Member[ClaimRenewedPayload]{
			strictjson.Field("claimId", claimIDDoc, func(p *ClaimRenewedPayload) *string { return &p.ClaimID }, idType),
			strictjson.Optional("resource", "what is held", func(p *ClaimRenewedPayload) *string { return &p.Resource }, resource),
			strictjson.Optional("mode", "shared claims coexist", func(p *ClaimRenewedPayload) *ClaimMode { return &p.Mode }, claimMode),
		}
	},
}

var claimReleasedObject = strictjson.Object[ClaimReleasedPayload]{
	Name: string(ClaimReleased), Doc: "The owner gave a claim up.", Open: true,
	Members: func() []strictjson.Member[ClaimReleasedPayload] {
		return []strictjson.Member[ClaimReleasedPayload]{
			strictjson.Field("claimId", claimIDDoc, func(p *ClaimReleasedPayload) *string { return &p.ClaimID }, idType),
			strictjson.Field("authority", "by whose word", func(p *ClaimReleasedPayload) *Authority { return &p.Authority }, strictjson.Nullable(authority)),
			strictjson.Field("reason", "why", func(p *ClaimReleasedPayload) *string { return &p.Reason }, nullLine),
			strictjson.Field("replacedGenerationRef", "of the claim that is gone", func(p *ClaimReleasedPayload) *string { return &p.ReplacedGenerationRef }, genRef),
		}
	},
}

var claimForceReleasedObject = strictjson.Object[ClaimForceReleasedPayload]{
	Name: string(ClaimForceReleased), Doc: "A claim was taken from its owner.", Open: true,
	Members: func() []strictjson.Member[ClaimForceReleasedPayload] {
		return []strictjson.Member[ClaimForceReleasedPayload]{
			strictjson.Field("claimId", claimIDDoc, func(p *ClaimForceReleasedPayload) *string { return &p.ClaimID }, idType),
			strictjson.Field("authority", "by whose word", func(p *ClaimForceReleasedPayload) *Authority { return &p.Authority }, authority),
			strictjson.Field("reason", "why", func(p *ClaimForceReleasedPayload) *string { return &p.Reason }, line),
			strictjson.Field("replacedGenerationRef", "of the claim that is gone", func(p *ClaimForceReleasedPayload) *string { return &p.ReplacedGenerationRef }, genRef),
		}
	},
}

var messageRecordedObject = strictjson.Object[MessageRecordedPayload]{
	Name: string(MessageRecorded), Doc: "A message and its receipts were committed.", Open: true,
	Members: func() []strictjson.Member[MessageRecordedPayload] {
		return []strictjson.Member[MessageRecordedPayload]{
			strictjson.Field("messageId", messageIDDoc, func(p *MessageRecordedPayload) *string { return &p.MessageID }, idType),
			strictjson.Field("threadId", "first message of the thread", func(p *MessageRecordedPayload) *string { return &p.ThreadID }, idType),
			strictjson.Field("recipientParticipantIds", "who got a receipt", func(p *MessageRecordedPayload) *[]string { return &p.RecipientParticipantIDs },
				strictjson.Set(idType, 0, MaxRoom)),
		}
	},
}

const (
	messageIDDoc = "the message"
	recipientDoc = "whose receipt advanced"
)

var messageOfferedObject = strictjson.Object[MessageOfferedPayload]{
	Name: string(MessageOffered), Doc: "A receipt advanced to offered without a transport of record.", Open: true,
	Members: func() []strictjson.Member[MessageOfferedPayload] {
		return []strictjson.Member[MessageOfferedPayload]{
			strictjson.Field("messageId", messageIDDoc, func(p *MessageOfferedPayload) *string { return &p.MessageID }, idType),
			strictjson.Field("recipientParticipantId", recipientDoc, func(p *MessageOfferedPayload) *string { return &p.RecipientParticipantID }, idType),
		}
	},
}

var messageRetrievedObject = strictjson.Object[MessageRetrievedPayload]{
	Name: string(MessageRetrieved), Doc: "The recipient read the message exactly.", Open: true,
	Members: func() []strictjson.Member[MessageRetrievedPayload] {
		return []strictjson.Member[MessageRetrievedPayload]{
			strictjson.Field("messageId", messageIDDoc, func(p *MessageRetrievedPayload) *string { return &p.MessageID }, idType),
			strictjson.Field("recipientParticipantId", recipientDoc, func(p *MessageRetrievedPayload) *string { return &p.RecipientParticipantID }, idType),
		}
	},
}

var messageAcknowledgedObject = strictjson.Object[MessageAcknowledgedPayload]{
	Name: string(MessageAcknowledged), Doc: "The recipient acknowledged or answered.", Open: true,
	Members: func() []strictjson.Member[MessageAcknowledgedPayload] {
		return []strictjson.Member[MessageAcknowledgedPayload]{
			strictjson.Field("messageId", messageIDDoc, func(p *MessageAcknowledgedPayload) *string { return &p.MessageID }, idType),
			strictjson.Field("recipientParticipantId", recipientDoc, func(p *MessageAcknowledgedPayload) *string { return &p.RecipientParticipantID }, idType),
		}
	},
}

var offerSucceededObject = strictjson.Object[OfferSucceededPayload]{
	Name: string(OfferSucceeded), Doc: "Bytes crossed a transport towards exactly this session generation.", Open: true,
	Members: func() []strictjson.Member[OfferSucceededPayload] {
		return []strictjson.Member[OfferSucceededPayload]{
			strictjson.Field("messageId", messageIDDoc, func(p *OfferSucceededPayload) *string { return &p.MessageID }, idType),
			strictjson.Field("recipientParticipantId", recipientDoc, func(p *OfferSucceededPayload) *string { return &p.RecipientParticipantID }, idType),
			strictjson.Field("targetSessionId", "where it went", func(p *OfferSucceededPayload) *string { return &p.TargetSessionID }, idType),
			strictjson.Field("targetGenerationRef", "of that session", func(p *OfferSucceededPayload) *string { return &p.TargetGenerationRef }, genRef),
			strictjson.Field("transport", "next-turn, or a live transport", func(p *OfferSucceededPayload) *string { return &p.Transport }, transport),
			strictjson.Field("adapterId", "whose transport", func(p *OfferSucceededPayload) *string { return &p.AdapterID }, idType),
			strictjson.Field("clientVersion", "of the client, or unknown", func(p *OfferSucceededPayload) *string { return &p.ClientVersion }, transport),
			strictjson.Optional("repeat", "the one repeat of a live offer", func(p *OfferSucceededPayload) *bool { return &p.Repeat }, strictjson.Bool()),
		}
	},
	Rules: []string{"a repeat has the transport next-turn"},
	Check: func(p *OfferSucceededPayload) *strictjson.Error {
		if p.Repeat && p.Transport != TransportNextTurn {
			return strictjson.Fail("$.transport", "must be next-turn for a repeat")
		}
		return nil
	},
}

var offerFailedObject = strictjson.Object[OfferFailedPayload]{
	Name: string(OfferFailed), Doc: "An offer to exactly this session generation was refused or failed; the receipt is untouched.", Open: true,
	Members: func() []strictjson.Member[OfferFailedPayload] {
		return []strictjson.Member[OfferFailedPayload]{
			strictjson.Field("messageId", messageIDDoc, func(p *OfferFailedPayload) *string { return &p.MessageID }, idType),
			strictjson.Field("recipientParticipantId", "who was meant", func(p *OfferFailedPayload) *string { return &p.RecipientParticipantID }, idType),
			strictjson.Field("targetSessionId", "where it was to go", func(p *OfferFailedPayload) *string { return &p.TargetSessionID }, idType),
			strictjson.Field("targetGenerationRef", "of that session", func(p *OfferFailedPayload) *string { return &p.TargetGenerationRef }, genRef),
			strictjson.Field("transport", "a live transport", func(p *OfferFailedPayload) *string { return &p.Transport }, transport),
			strictjson.Field("adapterId", "whose transport", func(p *OfferFailedPayload) *string { return &p.AdapterID }, idType),
			strictjson.Field("clientVersion", "of the client, or unknown", func(p *OfferFailedPayload) *string { return &p.ClientVersion }, transport),
			strictjson.Field("safeErrorCode", "why", func(p *OfferFailedPayload) *OfferFailure { return &p.SafeErrorCode }, strictjson.Enum(OfferFailures[:]...)),
		}
	},
}
