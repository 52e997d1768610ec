package projection

import (
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Peer is another session of the room.
type Peer struct {
	ParticipantID string
	Branch        string // empty: not known
	Presence      protocol.Presence
}

// Attention is something the session must know, by one of the attention rules.
type Attention struct {
	Kind     string
	SourceID string // message or claim to act on
	Summary  string
}

// Mail is a queued message, or one whose live offer is repeated.
type Mail struct {
	Message protocol.Message
	Repeat  *protocol.Offer // not nil: offered live before and not read since
}

// Input is everything a turn may be told.
type Input struct {
	Owner     *Owner // nil: the header was shown and is not wanted again
	Held      bool   // the context holds the header: it is wanted only above something else
	GOOS      string // whose shell quoting the header follows
	Now       time.Time
	Budget    int      // bytes of UTF-8, line ends included
	Tags      []string // tags of the client that peer text must not imitate
	Peers     []Peer
	Mail      []Mail // oldest first
	More      int    // messages that wait beyond Mail
	Attention []Attention
	Reminders int // obligations of messages that were shown before and are still owed
	// Known are the Keys of the turn before in the same context: what they name is not said again.
	Known []string
	// MidTurn leaves out everything but the header and the mail, and says nothing at all unless it can
	// carry a body: the turn was told the rest when it began.
	MidTurn bool
}

// Output is what a turn is told.
type Output struct {
	Text string
	// Carried are the ids of the messages whose whole body is in Text, in its order.
	Carried []string
	// Repeated are those of Carried that were offered live before.
	Repeated []string
	// Told are those of Input.Attention that the session knows once it has read Text.
	Told []Attention
	// Relevant says that Text holds more than the owner header.
	Relevant bool
	// Keys name the facts that the session knows once it has read Text: those that Text adds and those
	// of Known that still hold. A fact that stopped and began again is said again.
	Keys []string
	// HeaderError says why a wanted header is missing: the directory cannot be quoted, or the budget is
	// too small for it. Text is right without it.
	HeaderError error
}

// Project lays a turn out. What matters most is fitted first: the header, what is owed, new bodies
// oldest first, repeated ones, the reminder, then the rest. A body that does not fit behind others is
// left for the next turn together with all later ones, so that the order stays; one that does not even
// fit in front is named with the command that reads it, and does not hold up the others.
func Project(in Input) Output {
	p := page{in: in, left: in.Budget}
	headerError := p.fitHeader()
	if in.MidTurn {
		p.keys = in.Known
	} else {
		p.fitRoom()
		p.fitOwed()
	}
	p.fitMail()
	if in.MidTurn && len(p.carried) == 0 {
		return Output{Keys: in.Known}
	}
	if !in.MidTurn {
		p.fitReminder()
		p.fitInformation()
	}
	out := Output{Carried: p.carried, Repeated: p.repeated, Told: p.told, Keys: p.keys, HeaderError: headerError}
	out.Text, out.Relevant = p.render()
	if in.Held && !out.Relevant {
		out.Text, out.HeaderError = "", nil
	}
	return out
}
