package runtime

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/launch/pin"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/presence"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// A session of a client that can be asked to look (it published an endpoint) may have no process of acc in it,
// and still be in the middle of its work with what the old generation told it. It holds like a process, with the
// contract of the store that it is recorded in (a room that has none yet: of the active generation), until it is
// known to be over: its end was recorded, its client's process is dead (one of another pid namespace is not), or, where no process was recorded, it is
// offline by the rule of presence. Whatever cannot be read keeps it.

// sessions is the search for such sessions in all rooms.
type sessions struct {
	m   *Manager
	ctx context.Context //nolint:containedctx // lives as long as one activation
	// solo is the contract of a room that nothing durable was recorded in: whoever bound a session there ran from
	// the active generation, or from one of its contract.
	solo int
	// over are the files that were judged to hold nothing, with the time of their last change: they are not
	// judged again while everybody waits.
	over map[string]time.Time
}

// sessions looks once, before anybody is kept from starting.
func (m *Manager) sessions(ctx context.Context) sessions {
	s := sessions{m: m, ctx: ctx, over: map[string]time.Time{}}
	if c, err := m.control(); err == nil {
		s.solo = c.Active.StoreContract
	}
	_, _ = s.again() // what is in the way is asked again, under the lock
	return s
}

// again gives the sessions that hold now.
func (s *sessions) again() ([]Holder, error) {
	dir := s.m.home.Workspaces()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed("cannot list", dir, err)
	}
	var all []Holder
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case !e.IsDir():
			if e.Type()&fs.ModeSymlink != 0 {
				all = append(all, Holder{Workspace: e.Name(), Problem: "it is a link"})
			}
		default:
			all = append(all, s.room(e.Name())...)
		}
	}
	return all, nil
}

// room gives the sessions of one room that hold.
func (s *sessions) room(id string) []Holder {
	unknown := func(err error) []Holder { return []Holder{{Workspace: id, Problem: err.Error()}} }
	store, contract, err := fsstore.Inspect(s.ctx, fsstore.Options{Dir: s.m.home.Workspace(id), WorkspaceID: id})
	if err != nil {
		if bindingsAbsent(s.m.home.Workspace(id)) {
			return nil // whatever else is wrong with it, no session was ever bound there
		}
		return unknown(err)
	}
	contract = cmp.Or(contract, s.solo)
	files, err := store.BindingFiles()
	if err != nil {
		return unknown(err)
	}
	given := map[string]bool{} // endpoints that were given up
	for _, f := range files {
		if f.Err == nil && !f.Binding.RetiredAt.IsZero() {
			given[f.Binding.SessionID+" "+f.Binding.OpaqueEndpointRef] = true
		}
	}
	var all []Holder
	for _, f := range files {
		path := filepath.Join(id, filepath.FromSlash(f.Name))
		switch {
		case f.Err != nil:
			all = append(all, Holder{Workspace: id, StoreContract: 0, Problem: f.Err.Error()})
			continue
		case !f.Binding.RetiredAt.IsZero(), given[f.Binding.SessionID+" "+f.Binding.OpaqueEndpointRef], s.over[path].Equal(f.Written) && !f.Written.IsZero():
			continue
		}
		h := Holder{StoreContract: contract, Native: f.Binding.AdapterID, Workspace: id, Session: f.Binding.SessionID}
		if s.holds(store, f, &h) {
			all = append(all, h)
		} else {
			s.over[path] = f.Written
		}
	}
	return all
}

// bindingsAbsent says that a store which cannot be opened has no published endpoints.
func bindingsAbsent(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "ephemeral", "binding"))
	return errors.Is(err, fs.ErrNotExist)
}

// holds judges one published endpoint by the session that published it.
func (s *sessions) holds(store *fsstore.Store, f fsstore.BindingFile, h *Holder) bool {
	session, found, err := sessionOf(s.ctx, store, f.Binding.SessionID)
	switch {
	case err != nil:
		h.StoreContract, h.Problem = 0, err.Error()
		return true
	case !found, session.State != protocol.SessionOpen, !protocol.SameGeneration(session.Generation, f.Binding.Generation):
		return false
	}
	if session.PID != 0 {
		h.PID = session.PID
		if s.m.table.Probe(session.PID, f.Written) != core.ProcessDead {
			return true
		}
		if s.m.elsewhere(f.Binding.AdapterID, session.PID) {
			h.Problem = "its process is one of another pid namespace"
			return true
		}
		return false
	}
	beat, found, err := store.Ephemeral().Beat(s.ctx, session.SessionID, protocol.GenerationRef(session.Generation))
	if err != nil {
		h.StoreContract, h.Problem = 0, err.Error()
		return true
	}
	last := session.HeartbeatAt
	if found && beat.HeartbeatAt.After(last) {
		last = beat.HeartbeatAt
	}
	facts := presence.Facts{Open: true, HeartbeatAt: last, Cadence: session.HeartbeatCadence, Process: presence.None}
	return presence.Of(facts, s.m.moment()) != protocol.Offline
}

// elsewhere says whether a session of a client was begun by a process with that number of which nothing is known here,
// because it is the number of another pid namespace. Sessions record the number alone, pins the whole identity.
func (m *Manager) elsewhere(adapterID string, pid int) bool {
	entries, _ := os.ReadDir(m.at.Pins())
	for _, e := range entries {
		p, found, err := read(m, filepath.Join(m.at.Pins(), e.Name()), pin.Form())
		if err == nil && found && p.AdapterID == adapterID && p.Client.PID == pid && m.table.Check(p.Client) == core.ProcessUnknown {
			return true
		}
	}
	return false
}

func sessionOf(ctx context.Context, store *fsstore.Store, id string) (session *protocol.Session, found bool, err error) {
	err = store.View(ctx, func(r core.Reader) error {
		stored, ok, err := r.Get(protocol.KindSession, id)
		if err != nil || !ok {
			session, found = nil, false
			return err
		}
		session, found = stored.Record.(*protocol.Session)
		if !found {
			return protocol.DataError(protocol.ReasonMalformed, "session "+id+" is no session")
		}
		return nil
	})
	return session, found, err
}
