package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/mcp-server/internal/answer"
	"github.com/acc-control-plane/acc/mcp-server/internal/caller"
	"github.com/acc-control-plane/acc/protocol"
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
	for i, hint := range q.ResourceHints {
		if q.ResourceHints[i], err = resourceName(who.Room, hint); err != nil {
			return reply{}, err
		}
	}
	var intent protocol.Intent
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		intent, err = who.Room.Core.PublishIntent(ctx, owner, q.IntentRequest)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	return give(c, answer.Work, &answer.WorkData{Intent: &intent}, fmt.Sprintf("%s %s: %s", intent.State, intent.Mode, c.write.Line(intent.Summary)))
}

func runClaim(ctx context.Context, c call, q claimRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	req := core.ClaimRequest{Mode: q.mode, Reason: q.reason, Enforcement: protocol.Advisory, Lease: time.Duration(q.lease) * time.Second}
	if q.resource != "" {
		if req.Resource, err = resourceName(who.Room, q.resource); err != nil {
			return reply{}, err
		}
	}
	var result core.ClaimResult
	err = who.Do(ctx, func(owner core.Owner) (err error) {
		asked := req
		if q.action == renew {
			if asked, err = renewal(ctx, who, owner, q.claimID, req); err != nil {
				return err
			}
		}
		result, err = who.Room.Core.Claim(ctx, owner, asked)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	done := "claimed"
	if result.Renewed {
		done = "renewed"
	}
	claim := result.Claim
	return give(c, answer.Claimed, &result, fmt.Sprintf("%s %s %s until %s, %s\nadvisory: peers are told, nothing stops them",
		done, c.write.Line(claim.Resource), claim.Mode, claim.ExpiresAt.Format(time.RFC3339), claim.ClaimID))
}

// renewal completes a request to renew with what the claim is now. Only a claim of the caller's own is
// renewed: anything else would be a new one that nobody asked for.
func renewal(ctx context.Context, who *caller.Caller, owner core.Owner, claimID string, req core.ClaimRequest) (core.ClaimRequest, error) {
	var held *protocol.Claim
	err := who.Room.Store.View(ctx, func(r core.Reader) error {
		held = nil
		entries, err := r.Find(core.Query{Index: core.ClaimsByOwner, Key: []string{owner.SessionID}})
		if err != nil {
			return err
		}
		for _, entry := range entries {
			stored, found, err := r.Get(protocol.KindClaim, entry.ID)
			if err != nil {
				return err
			}
			claim, ok := stored.Record.(*protocol.Claim)
			if found && ok && (claim.ClaimID == claimID || claimID == "" && claim.Resource == req.Resource) {
				held = claim
			}
		}
		return nil
	})
	if err != nil {
		return req, err
	}
	if held == nil {
		return req, protocol.DataError(protocol.ReasonNotFound, "you hold no such claim: "+cmp.Or(claimID, req.Resource))
	}
	req.Resource = held.Resource
	if req.Mode == "" {
		req.Mode = held.Mode
	}
	if req.Reason == "" {
		req.Reason = held.Reason
	}
	req.Enforcement = held.Enforcement
	return req, nil
}

func runRelease(ctx context.Context, c call, q core.ReleaseRequest) (reply, error) {
	who, err := c.caller(ctx)
	if err != nil {
		return reply{}, err
	}
	if q.Resource != "" {
		if q.Resource, err = resourceName(who.Room, q.Resource); err != nil {
			return reply{}, err
		}
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
