package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

func runWork(ctx context.Context, c call, q workRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	if q.clear {
		err := who.Do(ctx, func(owner core.Owner) error { return who.Room.Core.ClearIntent(ctx, owner) })
		if err != nil {
			return reply{}, err
		}
		return give(c, answer.Work, &answer.WorkData{}, "cleared")
	}
	warned := ""
	for i, hint := range q.ResourceHints {
		named, err := resourceName(who.Room, hint)
		if err != nil {
			return reply{}, err
		}
		q.ResourceHints[i] = named.Resource
		warned += nameOnly(c, named)
	}
	var intent protocol.Intent
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		intent, err = who.Room.Core.PublishIntent(ctx, owner, q.IntentRequest)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return give(c, answer.Work, &answer.WorkData{Intent: &intent}, fmt.Sprintf("%s %s: %s", intent.State, intent.Mode, c.write.Line(intent.Summary))+warned)
}

func runClaim(ctx context.Context, c call, q claimRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	var named workspace.Written
	if q.resource != "" {
		if named, err = resourceName(who.Room, q.resource); err != nil {
			return reply{}, err
		}
	}
	lease := time.Duration(q.lease) * time.Second
	var result core.ClaimResult
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		if q.action == renew {
			result, err = who.Room.Core.Renew(ctx, owner, core.RenewRequest{ClaimID: q.claimID, Resource: named.Resource, Mode: q.mode, Reason: q.reason, Lease: lease})
		} else {
			result, err = who.Room.Core.Claim(ctx, owner, core.ClaimRequest{Resource: named.Resource, Mode: q.mode, Reason: q.reason, Enforcement: protocol.Advisory, Lease: lease})
		}
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return give(c, answer.Claimed, &result, c.sayClaimed(result)+nameOnly(c, named))
}

// sayClaimed says what is held until when, and which other leases of the caller are over.
func (c call) sayClaimed(result core.ClaimResult) string {
	done := "claimed"
	if result.Renewed {
		done = "renewed"
	}
	claim := result.Claim
	said := fmt.Sprintf("%s %s %s until %s, %s\nadvisory: peers are told, nothing stops them",
		done, c.write.Line(claim.Resource), claim.Mode, claim.ExpiresAt.Format(time.RFC3339), claim.ClaimID)
	for _, lapsed := range result.Lapsed {
		said += fmt.Sprintf("\nlapsed: %s, %s, its lease ran out at %s", c.write.Line(lapsed.Resource), lapsed.ClaimID, lapsed.ExpiresAt.Format(time.RFC3339))
	}
	return said
}

func runRelease(ctx context.Context, c call, q core.ReleaseRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	if q.Resource != "" {
		named, err := resourceName(who.Room, q.Resource)
		if err != nil {
			return reply{}, err
		}
		q.Resource = named.Resource
	}
	var data answer.ReleasedData
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		data.Claim, err = who.Room.Core.Release(ctx, owner, q)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return give(c, answer.Released, &data, "released "+c.write.Line(data.Claim.Resource))
}

func runAck(ctx context.Context, c call, q ackRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	var data answer.ReceiptData
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		data.Receipt, err = who.Room.Core.Ack(ctx, owner, q.messageID)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return give(c, answer.Receipt, &data, data.Receipt.MessageID+" "+string(data.Receipt.State))
}
