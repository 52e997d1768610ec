package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	hookrunner "github.com/acc-control-plane/acc/hook-runner"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Hook is the last call of the hook at one event, over all conversations of a client in the room.
type Hook struct {
	AdapterID, Event string
	At               time.Time
	Took             time.Duration
}

// Guard sums what became of the writes that the hooks of a client guarded in the room.
type Guard struct {
	AdapterID string
	hookrunner.GuardCounts
}

// checkHooksFired reads what hooks noted of themselves: the only proof that a client runs them.
func (e *examination) checkHooksFired(r *room.Room) {
	fired, unreadable, err := hookrunner.ReadFirings(e.Home.Root, r.Dir)
	if err != nil {
		e.warn(subjectSessions, err.Error(), hint(err, "make the directory readable for this user"))
		return
	}
	if unreadable > 0 {
		e.warn(subjectSessions, fmt.Sprintf("%d notes about hooks that fired cannot be read", unreadable),
			"delete the damaged *.fired.json in "+quoted(r.Dir+"/bindings")+"; the next hook writes it again")
	}
	for _, f := range fired {
		for _, event := range f.Events {
			e.fired(Hook{f.AdapterID, event.Event, event.At, event.Took})
		}
		e.guarded(f.AdapterID, f.Guard)
	}
	byClient := func(a, b Hook) int { return cmp.Or(cmp.Compare(a.AdapterID, b.AdapterID), a.At.Compare(b.At)) }
	slices.SortFunc(e.Hooks, byClient)
	slices.SortFunc(e.Guards, func(a, b Guard) int { return cmp.Compare(a.AdapterID, b.AdapterID) })
	for _, h := range e.Hooks {
		e.add(Finding{Level: OK, Subject: h.AdapterID, Text: fmt.Sprintf("the hook at %s took %d ms when it last fired,", h.Event, h.Took.Milliseconds()), At: h.At})
	}
	for _, g := range e.Guards {
		e.sayGuard(g)
	}
}

// fired keeps the newest call of each event.
func (e *examination) fired(h Hook) {
	i := slices.IndexFunc(e.Hooks, func(was Hook) bool { return was.AdapterID == h.AdapterID && was.Event == h.Event })
	switch {
	case i < 0:
		e.Hooks = append(e.Hooks, h)
	case h.At.After(e.Hooks[i].At):
		e.Hooks[i] = h
	}
}

func (e *examination) guarded(adapterID string, counts hookrunner.GuardCounts) {
	if counts.Allowed+counts.Denied+counts.Undecided == 0 {
		return
	}
	i := slices.IndexFunc(e.Guards, func(g Guard) bool { return g.AdapterID == adapterID })
	if i < 0 {
		e.Guards = append(e.Guards, Guard{adapterID, counts})
		return
	}
	sum := &e.Guards[i]
	sum.Allowed, sum.Denied, sum.Undecided = sum.Allowed+counts.Allowed, sum.Denied+counts.Denied, sum.Undecided+counts.Undecided
	if counts.LastAt.After(sum.LastAt) {
		sum.Last, sum.LastAt = counts.Last, counts.LastAt
	}
	if counts.UndecidedAt.After(sum.UndecidedAt) {
		sum.UndecidedAt = counts.UndecidedAt
	}
}

func (e *examination) sayGuard(g Guard) {
	text := fmt.Sprintf("of guarded writes %d were allowed and %d denied", g.Allowed, g.Denied)
	if g.Last != "" {
		text += fmt.Sprintf("; the last was %s", g.Last)
	}
	e.add(Finding{Level: OK, Subject: g.AdapterID, Text: text, At: g.LastAt})
	if g.Undecided > 0 {
		e.add(Finding{Level: Warn, Subject: g.AdapterID, At: g.UndecidedAt, Remedy: "acc doctor while it happens: it names who holds the store",
			Text: fmt.Sprintf("%d writes went through because claims could not be checked, the last", g.Undecided)})
	}
}
