package prune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/presence"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// Class is a kind of record that may be pruned.
type Class string

// The classes. Messages go by the cursor and not by a class.
const (
	Sessions     Class = "sessions"     // offline, without a claim that still holds
	Intents      Class = "intents"      // of sessions that are offline or gone
	Claims       Class = "claims"       // expired
	Participants Class = "participants" // without a session, and named by no message
)

// Classes lists every class.
var Classes = [...]Class{Sessions, Intents, Claims, Participants}

// Options say what may go.
type Options struct {
	Classes []Class // nil: none
	// Before is a cursor: messages whose commit it covers go when every receipt is acknowledged, or its
	// recipient is gone, and so do all events up to it. 0: none.
	Before    uint64
	Apply     bool // otherwise it is only said what would go
	Clock     core.Clock
	Processes core.ProcessProbe
}

// Report says what went, or would.
type Report struct {
	Applied                                                           bool
	Receipts, Messages, Intents, Claims, Sessions, Participants, Kept int // Kept: changed since the plan
	TrimmedThrough                                                    uint64
	// JournalFrom is the first sequence whose commit the journal still holds with everything it wrote,
	// removed records included; 1: all of them.
	JournalFrom uint64
}

// batch is how many records one transaction removes: small, so that hooks get their turn.
const batch = 128

// Run plans, and applies if that is asked for.
func Run(ctx context.Context, store *fsstore.Store, opts Options) (Report, error) {
	for _, class := range opts.Classes {
		if !slices.Contains(Classes[:], class) {
			return Report{}, protocol.UsageError("", fmt.Sprintf("there is no class %q", class))
		}
	}
	through, err := store.GenerationThrough(ctx, opts.Before)
	if err != nil {
		return Report{}, err
	}
	if opts.Before == 0 {
		through = 0
	}
	p := &planner{ctx: ctx, store: store, opts: opts, now: opts.Clock.Now().UTC(), through: through}
	if err := store.View(ctx, p.plan); err != nil {
		return Report{}, err
	}
	report := Report{Applied: opts.Apply, TrimmedThrough: p.trimmed, JournalFrom: p.trimmed + 1}
	for _, v := range p.victims {
		report.count(v.kind, 1)
	}
	if !opts.Apply {
		return report, nil
	}
	if err := p.apply(&report); err != nil {
		return report, err
	}
	if opts.Before > 0 {
		trimmed, err := store.Trim(ctx, opts.Before)
		report.TrimmedThrough, report.JournalFrom = trimmed.TrimmedThrough, trimmed.From
		return report, err
	}
	return report, nil
}

func (r *Report) count(kind protocol.Kind, by int) {
	switch kind {
	case protocol.KindReceipt:
		r.Receipts += by
	case protocol.KindMessage:
		r.Messages += by
	case protocol.KindIntent:
		r.Intents += by
	case protocol.KindClaim:
		r.Claims += by
	case protocol.KindSession:
		r.Sessions += by
	case protocol.KindParticipant:
		r.Participants += by
	}
}

// victim is a record that may go if it is still as it was planned.
type victim struct {
	kind       protocol.Kind
	id         string
	generation uint64
}

// apply removes the victims, a batch at a time.
func (p *planner) apply(report *Report) error {
	for start := 0; start < len(p.victims); start += batch {
		kept, err := p.remove(p.victims[start:min(start+batch, len(p.victims))])
		if err != nil {
			return err
		}
		for _, v := range kept {
			report.count(v.kind, -1)
			report.Kept++
		}
	}
	return nil
}

// remove removes the victims that have not changed and gives the others. Whether something names a
// participant cannot be seen from its record: it goes only if nobody else has committed since the plan.
func (p *planner) remove(victims []victim) (kept []victim, err error) {
	commit, err := p.store.Update(p.ctx, func(tx core.Tx) error {
		quiet := tx.Position().Generation == p.seen
		for _, v := range victims {
			stored, found, err := tx.Get(v.kind, v.id)
			if err != nil {
				return err
			}
			if !found || stored.Generation != v.generation || v.kind == protocol.KindParticipant && !quiet {
				kept = append(kept, v)
				continue
			}
			if err := tx.Remove(v.kind, v.id); err != nil {
				return err
			}
		}
		return nil
	})
	if commit.Generation == p.seen+1 {
		p.seen = commit.Generation
	}
	return kept, err
}

// planner decides on one snapshot.
type planner struct {
	ctx     context.Context
	store   *fsstore.Store
	opts    Options
	now     time.Time
	through uint64 // generation

	reader  core.Reader
	trimmed uint64
	seen    uint64 // generation of the plan, then of our own commits as long as they follow one another
	victims []victim
	gone    map[string]bool // sessions that are offline, or that no record tells of
	staying map[string]bool // participants that something names
}

// plan fills in the victims in the order in which they go: what names others before what is named.
func (p *planner) plan(r core.Reader) error {
	p.reader, p.victims, p.trimmed, p.seen = r, nil, r.TrimmedThrough(), r.Position().Generation
	p.gone, p.staying = map[string]bool{}, map[string]bool{}
	for _, step := range []func() error{p.messages, p.sessions, p.intents, p.claims} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := p.participants(); err != nil {
		return err
	}
	order := []protocol.Kind{protocol.KindReceipt, protocol.KindMessage, protocol.KindIntent, protocol.KindClaim, protocol.KindSession, protocol.KindParticipant}
	slices.SortStableFunc(p.victims, func(a, b victim) int { return slices.Index(order, a.kind) - slices.Index(order, b.kind) })
	return nil
}

func (p *planner) add(kind protocol.Kind, id string, stored core.Stored) {
	p.victims = append(p.victims, victim{kind, id, stored.Generation})
}

func (p *planner) wants(class Class) bool { return slices.Contains(p.opts.Classes, class) }

// page is how many entries of an index are read at a time.
const page = 500

// each gives every record of an index under a key.
func (p *planner) each(kind protocol.Kind, q core.Query, yield func(id string, stored core.Stored) error) error {
	q.Limit = page
	for {
		entries, err := p.reader.Find(q)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := p.ctx.Err(); err != nil {
				return protocol.TimeoutError(protocol.ReasonNotCommitted, "the deadline passed while it was planned what goes").Because(err)
			}
			stored, found, err := p.reader.Get(kind, e.ID)
			if err != nil {
				return err
			}
			if found {
				if err := yield(e.ID, stored); err != nil {
					return err
				}
			}
		}
		if len(entries) < page {
			return nil
		}
		q.After = &entries[len(entries)-1]
	}
}

// messages finds the settled messages up to the cursor, and whom the others name.
func (p *planner) messages() error {
	return p.each(protocol.KindMessage, core.Query{Index: core.MessagesInOrder}, func(id string, stored core.Stored) error {
		m := stored.Record.(*protocol.Message)
		var receipts []victim
		settled := stored.Created <= p.through
		err := p.each(protocol.KindReceipt, core.Query{Index: core.ReceiptsByMessage, Key: []string{id}}, func(key string, stored core.Stored) error {
			r := stored.Record.(*protocol.Receipt)
			if settled && r.State != protocol.Acknowledged {
				_, there, err := p.reader.Get(protocol.KindParticipant, r.RecipientParticipantID)
				settled = !there
				if err != nil {
					return err
				}
			}
			receipts = append(receipts, victim{protocol.KindReceipt, key, stored.Generation})
			return nil
		})
		if err != nil {
			return err
		}
		if settled {
			p.victims = append(p.victims, receipts...)
			p.add(protocol.KindMessage, id, stored)
			return nil
		}
		p.staying[m.FromParticipantID] = true
		for _, to := range m.ToParticipantIDs {
			p.staying[to] = true
		}
		for _, r := range receipts {
			stored, _, err := p.reader.Get(r.kind, r.id)
			if err != nil {
				return err
			}
			p.staying[stored.Record.(*protocol.Receipt).RecipientParticipantID] = true
		}
		return nil
	})
}

// sessions finds the offline ones; one that still holds a claim stays.
func (p *planner) sessions() error {
	return p.each(protocol.KindParticipant, core.Query{Index: core.Participants}, func(participant string, _ core.Stored) error {
		return p.each(protocol.KindSession, core.Query{Index: core.SessionsByParticipant, Key: []string{participant}}, func(id string, stored core.Stored) error {
			s := stored.Record.(*protocol.Session)
			offline, err := p.offline(s)
			if err != nil {
				return err
			}
			holds := false
			err = p.each(protocol.KindClaim, core.Query{Index: core.ClaimsByOwner, Key: []string{id}}, func(_ string, stored core.Stored) error {
				holds = holds || stored.Record.(*protocol.Claim).ExpiresAt.After(p.now)
				return nil
			})
			if err != nil {
				return err
			}
			p.gone[id] = offline
			if offline && !holds && p.wants(Sessions) {
				p.add(protocol.KindSession, id, stored)
			} else {
				p.staying[participant] = true
			}
			return nil
		})
	})
}

func (p *planner) offline(s *protocol.Session) (bool, error) {
	facts := presence.Facts{Open: s.State == protocol.SessionOpen, HeartbeatAt: s.HeartbeatAt, Cadence: s.HeartbeatCadence}
	if !facts.Open {
		return true, nil
	}
	beat, found, err := p.store.Ephemeral().Beat(p.ctx, s.SessionID, protocol.GenerationRef(s.Generation))
	if err != nil {
		return false, err
	}
	if found && beat.HeartbeatAt.After(facts.HeartbeatAt) {
		facts.HeartbeatAt = beat.HeartbeatAt
	}
	if s.PID != 0 {
		facts.Process = presence.Unknown
		switch p.opts.Processes.Probe(s.PID, s.HeartbeatAt) {
		case core.ProcessAlive:
			facts.Process = presence.Alive
		case core.ProcessDead:
			facts.Process = presence.Dead
		}
	}
	return presence.Of(facts, p.now) == protocol.Offline, nil
}

// intents finds those of sessions that are offline; an intent without a session is of nobody.
func (p *planner) intents() error {
	if !p.wants(Intents) {
		return nil
	}
	for id, offline := range p.gone {
		if !offline {
			continue
		}
		stored, found, err := p.reader.Get(protocol.KindIntent, id)
		if err != nil {
			return err
		}
		if found {
			p.add(protocol.KindIntent, id, stored)
		}
	}
	return nil
}

func (p *planner) claims() error {
	if !p.wants(Claims) {
		return nil
	}
	return p.each(protocol.KindClaim, core.Query{Index: core.LiveClaims}, func(id string, stored core.Stored) error {
		if !stored.Record.(*protocol.Claim).ExpiresAt.After(p.now) {
			p.add(protocol.KindClaim, id, stored)
		}
		return nil
	})
}

func (p *planner) participants() error {
	if !p.wants(Participants) {
		return nil
	}
	return p.each(protocol.KindParticipant, core.Query{Index: core.Participants}, func(id string, stored core.Stored) error {
		if !p.staying[id] {
			p.add(protocol.KindParticipant, id, stored)
		}
		return nil
	})
}
