package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// knownNamed is how many participants an error about strangers names, and strangersNamed how many strangers
// its message; the details have them all.
const (
	knownNamed     = 50
	strangersNamed = 10
)

// resolve turns the names of a request into participant ids, sorted. An exact participant id wins; any
// other name is tried as that of a client, where exactly one other participant must have an open
// session of it.
func (r *room) resolve(s *protocol.Session, names []string) ([]string, error) {
	ids := make([]string, 0, len(names))
	var strangers []string
	for _, name := range names {
		id, err := r.resolveOne(s, name)
		switch {
		case err != nil:
			return nil, err
		case id == "":
			strangers = append(strangers, name)
		case slices.Contains(ids, id):
			return nil, protocol.UsageError("", fmt.Sprintf("%q is addressed twice", id))
		default:
			ids = append(ids, id)
		}
	}
	if len(strangers) > 0 {
		return nil, r.strangerError(strangers)
	}
	slices.Sort(ids)
	return ids, nil
}

// resolveOne gives "" for a stranger.
func (r *room) resolveOne(s *protocol.Session, name string) (string, error) {
	if _, found, err := r.participant(name); err != nil || found {
		return name, err
	}
	sessions, err := r.sessions(OpenSessionsByHarness, name)
	if err != nil {
		return "", err
	}
	var all, here []string
	for _, other := range sessions {
		if other.ParticipantID == s.ParticipantID {
			continue
		}
		p, err := r.presenceOf(other)
		if err != nil {
			return "", err
		}
		all = insertSorted(all, other.ParticipantID)
		if p != protocol.Offline {
			here = insertSorted(here, other.ParticipantID)
		}
	}
	if len(here) == 0 {
		here = all // nobody is certainly there, so that being away decides nothing between them
	}
	switch len(here) {
	case 0:
		return "", nil
	case 1:
		return here[0], nil
	}
	return "", protocol.UsageError(protocol.ReasonAmbiguousRecipient, fmt.Sprintf("%q could be any of %s", name, strings.Join(here, ", "))).
		With("name", name).With("candidates", here).WithHint("name one of them with --to")
}

// strangerError names who is not known here and who is.
func (r *room) strangerError(strangers []string) error {
	entries, err := r.Find(Query{Index: Participants, Reverse: true, Limit: knownNamed})
	if err != nil {
		return err
	}
	known := make([]string, len(entries))
	for i, entry := range entries {
		known[i] = entry.ID
	}
	slices.Sort(known)
	quoted := make([]string, 0, strangersNamed)
	for _, name := range strangers[:min(len(strangers), strangersNamed)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	more := ""
	if n := len(strangers) - len(quoted); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	e := protocol.DataError(protocol.ReasonUnknownRecipient, fmt.Sprintf("no participant %s%s in this room", strings.Join(quoted, ", "), more)).
		With("strangers", strangers).With("known", known)
	if len(known) > 0 {
		e = e.WithHint("known here: " + strings.Join(known, ", "))
	}
	return e
}

// recipients gives who gets a receipt: those who are addressed, or every participant with an open
// session except the author.
func (r *room) recipients(s *protocol.Session, to []string) ([]string, error) {
	if len(to) > 0 {
		return to, nil
	}
	sessions, err := r.sessions(OpenSessions)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, other := range sessions {
		if other.ParticipantID != s.ParticipantID {
			ids = insertSorted(ids, other.ParticipantID)
		}
	}
	return ids, nil
}

// insertSorted adds a string to a sorted set.
func insertSorted(set []string, s string) []string {
	i, found := slices.BinarySearch(set, s)
	if found {
		return set
	}
	return slices.Insert(set, i, s)
}
