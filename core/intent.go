package core

import (
	"context"

	"github.com/acc-control-plane/acc/core/resource"
	"github.com/acc-control-plane/acc/protocol"
)

// IntentRequest says what a session is doing.
type IntentRequest struct {
	Summary       string               // one line, at most protocol.MaxSummary characters
	Mode          protocol.IntentMode  // empty: edit
	State         protocol.IntentState // empty: active
	ResourceHints []string             // what it is about to touch; normalised like claims
}

// PublishIntent says what the session is doing, in place of what it said before. Peers whose claims the
// hints overlap are told, and so is the session (see AttentionKind). A done intent counts for nothing.
func (c *Core) PublishIntent(ctx context.Context, owner Owner, req IntentRequest) (protocol.Intent, error) {
	hints := []string{}
	for _, raw := range req.ResourceHints {
		name, err := resource.Normalise(raw)
		if err != nil {
			return protocol.Intent{}, err
		}
		hints = insertSorted(hints, name)
	}
	var published protocol.Intent
	err := c.update(ctx, func(ch *change) error {
		s, err := ch.owned(owner)
		if err != nil {
			return err
		}
		published = protocol.Intent{
			SessionID: s.SessionID, WorkspaceID: c.workspace.WorkspaceID, Summary: req.Summary, Mode: orDefault(req.Mode, protocol.ModeEdit),
			ResourceHints: hints, State: orDefault(req.State, protocol.IntentActive), UpdatedAt: ch.now,
		}
		before, found, err := ch.intent(s.SessionID)
		if err != nil {
			return err
		}
		if found {
			published.Extensions = before.Extensions
		}
		if err := ch.tx.Put(&published); err != nil {
			return err
		}
		if ch.alone() {
			return ch.tx.KeepSolo()
		}
		ch.append(s, protocol.IntentPublishedPayload{})
		return nil
	})
	return published, err
}

// ClearIntent takes back what the session said it is doing. Clearing nothing changes nothing.
func (c *Core) ClearIntent(ctx context.Context, owner Owner) error {
	return c.update(ctx, func(ch *change) error {
		s, err := ch.owned(owner)
		if err != nil {
			return err
		}
		return ch.clearIntent(s)
	})
}

// clearIntent marks the intent of a session done; a lone session's is forgotten.
func (c *change) clearIntent(s *protocol.Session) error {
	intent, found, err := c.intent(s.SessionID)
	if err != nil || !found || intent.State == protocol.IntentDone && !c.alone() {
		return err
	}
	if c.alone() {
		if err := c.tx.Remove(protocol.KindIntent, s.SessionID); err != nil {
			return err
		}
		return c.tx.KeepSolo()
	}
	done := *intent
	done.State, done.UpdatedAt = protocol.IntentDone, c.now
	if err := c.tx.Put(&done); err != nil {
		return err
	}
	c.append(s, protocol.IntentClearedPayload{})
	return nil
}

func (r *room) intent(sessionID string) (*protocol.Intent, bool, error) {
	i, _, found, err := get[*protocol.Intent](r, protocol.KindIntent, sessionID)
	return i, found, err
}

// activeIntent gives the intent of a session unless there is none or it is done.
func (r *room) activeIntent(sessionID string) (*protocol.Intent, error) {
	intent, found, err := r.intent(sessionID)
	if err != nil || !found || intent.State == protocol.IntentDone {
		return nil, err
	}
	return intent, nil
}
