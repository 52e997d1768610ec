package doctor

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/core"
	hookrunner "github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Attempt is the last attempt of a session that is open to publish an endpoint, by which it could be asked to
// look sooner. It says nothing of any message: what became of those is in their receipts.
type Attempt struct {
	ParticipantID, SessionID, AdapterID string
	livefiles.Attempt
}

// OwnerFile is the file by which the hooks of one conversation know their session.
type OwnerFile struct {
	Path      string
	AdapterID string // empty: the file cannot be used
	SessionID string
	State     OwnerState
}

// OwnerState is what an owner file is good for.
type OwnerState string

// The states.
const (
	OwnerOpen    OwnerState = "open"    // its session is open
	OwnerClosed  OwnerState = "closed"  // its session ended; a resumed conversation goes on from here
	OwnerStale   OwnerState = "stale"   // its session is not on record, or goes by another key
	OwnerForeign OwnerState = "foreign" // another conversation's, damaged, or unsafe: hooks refuse it
)

// checkAttempts tells what came of the last attempt of each open session, of the generation that is open now.
func (e *examination) checkAttempts(ctx context.Context, r *room.Room, status core.Status) {
	ledger := livefiles.NewLedger(e.Home, r.Dir)
	if _, unreadable, err := ledger.Attempts(); err != nil {
		e.warn(subjectSessions, err.Error(), "make the directory readable for this user")
	} else if unreadable > 0 {
		e.warn(subjectSessions, fmt.Sprintf("%d notes about attempts to publish an endpoint cannot be read", unreadable), "delete what is damaged in "+quoted(r.Dir+"/live/attempt")+"; the next hook writes it again")
	}
	attempts, err := LastAttempts(ctx, r, status.Sessions)
	if err != nil {
		e.warn(subjectSessions, "attempts to publish an endpoint are unknown: "+err.Error(), hint(err, "acc doctor"))
		return
	}
	e.Attempts = attempts
	for _, a := range attempts {
		if a.Reason == "" {
			e.add(Finding{Level: OK, Subject: a.AdapterID, Text: a.ParticipantID + " last published an endpoint at " + a.Event, At: a.At})
			continue
		}
		text := fmt.Sprintf("%s cannot be woken: %s, tried at %s", a.ParticipantID, a.Reason, a.Event)
		remedy := "send anyway: a message waits for its next turn; docs/troubleshooting.md explains " + a.Reason
		if a.LaunchOption != "" {
			text += "; it was started with " + a.LaunchOption
			remedy = "start that session without " + a.LaunchOption
		}
		e.add(Finding{Level: Warn, Subject: a.AdapterID, Text: text, At: a.At, Remedy: remedy})
	}
}

// LastAttempts gives the last attempt of every session among rows that is open, if its generation of today
// made one. An attempt of an earlier generation says nothing of this one.
func LastAttempts(ctx context.Context, r *room.Room, rows []core.SessionStatus) ([]Attempt, error) {
	ledger := livefiles.NewLedger(r.Home, r.Dir)
	var all []Attempt
	err := r.Store.View(ctx, func(reader core.Reader) error {
		all = nil
		for _, row := range rows {
			if row.Presence == protocol.Offline {
				continue
			}
			s, found, err := record(reader, row.SessionID)
			if err != nil {
				return err
			}
			if !found || s.State != protocol.SessionOpen {
				continue
			}
			if a, made := ledger.LastAttempt(s.SessionID, protocol.GenerationRef(s.Generation)); made {
				all = append(all, Attempt{row.ParticipantID, row.SessionID, row.Harness, a})
			}
		}
		return nil
	})
	return all, err
}

// record reads the record of a session.
func record(reader core.Reader, id string) (*protocol.Session, bool, error) {
	stored, found, err := reader.Get(protocol.KindSession, id)
	if err != nil || !found {
		return nil, false, err
	}
	return stored.Record.(*protocol.Session), true, nil
}

// checkSavedRooms looks at the files by which hooks know their session's room.
func (e *examination) checkSavedRooms() {
	damaged, err := nativeworkspace.Damaged(e.Home)
	if err != nil {
		e.fail(subjectSessions, err.Error(), hint(err, "make the directory readable for this user"))
	}
	for _, d := range damaged {
		e.fail(subjectSessions, "damaged: "+d.Path+" names no room, so the hooks of its session do nothing: "+d.Err.Error(), "rm "+quoted(d.Path)+"; the session's next prompt finds the room again")
	}
}

// checkOwners looks at the files by which hooks know their session.
func (e *examination) checkOwners(ctx context.Context, r *room.Room) {
	files, err := hookrunner.ReadOwnerFiles(e.Home.Root, r.Dir)
	if err != nil {
		e.fail(subjectSessions, err.Error(), hint(err, "make the directory readable for this user"))
		return
	}
	err = r.Store.View(ctx, func(reader core.Reader) error {
		e.Owners = nil
		for _, f := range files {
			owner := OwnerFile{Path: f.Path, AdapterID: f.AdapterID, SessionID: f.SessionID, State: OwnerForeign}
			if f.Err == nil {
				s, found, err := record(reader, f.SessionID)
				if err != nil {
					return err
				}
				owner.State = ownerState(s, found, f)
			}
			e.Owners = append(e.Owners, owner)
		}
		return nil
	})
	if err != nil {
		e.warn(subjectSessions, "who speaks for which session is unknown: "+err.Error(), hint(err, "acc doctor"))
		return
	}
	counts := map[OwnerState]int{}
	for n, o := range e.Owners {
		counts[o.State]++
		switch o.State {
		case OwnerForeign:
			e.fail(subjectSessions, "foreign: "+o.Path+" is no owner file of its conversation, so its hooks do nothing: "+files[n].Err.Error(), "rm "+quoted(o.Path))
		case OwnerStale:
			e.warn(o.AdapterID, "stale: "+o.Path+" names "+o.SessionID+", which is not on record with that key", "rm "+quoted(o.Path)+", unless its conversation goes on: then its next prompt mends it")
		}
	}
	if n := counts[OwnerOpen] + counts[OwnerClosed]; n > 0 {
		e.ok(subjectSessions, fmt.Sprintf("%d conversations are bound to their sessions, %d of which have ended", n, counts[OwnerClosed]))
	}
}

func ownerState(s *protocol.Session, found bool, f hookrunner.OwnerFile) OwnerState {
	switch {
	case !found && f.Follows:
		return OwnerClosed // every end of a session leaves the pair to go on with
	case !found || protocol.GenerationRef(s.Generation) != f.GenerationRef:
		return OwnerStale
	case s.State == protocol.SessionOpen:
		return OwnerOpen
	}
	return OwnerClosed
}
