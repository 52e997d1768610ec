package projection

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// page collects the lines of each section, and the number of bytes that are left.
type page struct {
	in   Input
	left int

	header, room, reminder, recovery string
	owed, information, blocks        []string
	carried, repeated, keys          []string
	told                             []Attention
}

// cost is a text with its line end.
func cost(s string) int { return len(s) + 1 }

// take uses up the room for a text if it leaves as many bytes as must stay free.
func (p *page) take(s string, free int) bool {
	if cost(s)+free > p.left {
		return false
	}
	p.left -= cost(s)
	return true
}

// say takes a line about a fact, unless the session knows the fact already. It gives the line, or ""
// when there is nothing to say or no room to say it.
func (p *page) say(fact, line string, free int) (said string, fits bool) {
	key := keyOf(fact)
	known := slices.Contains(p.in.Known, key)
	if !known && !p.take(line, free) {
		return "", false
	}
	p.keys = append(p.keys, key)
	if known {
		return "", true
	}
	return line, true
}

// keyOf shortens a fact: keys are compared with each other only.
func keyOf(fact string) string {
	sum := sha256.Sum256([]byte(fact))
	return hex.EncodeToString(sum[:8])
}

// reserve is what must stay free for the recovery line while any message waits.
func (p *page) reserve() int {
	if len(p.in.Mail) == 0 && p.in.More == 0 {
		return 0
	}
	longest := 0
	for _, m := range p.in.Mail {
		longest = max(longest, len(m.Message.MessageID))
	}
	const words, number = len(" waits: acc inbox --message  (+ more)"), 10
	return cost("") + words + 2*longest + number
}

// fitHeader takes the header only if a recovery line still fits below it: a session that cannot see
// its mail must at least learn how to read it.
func (p *page) fitHeader() error {
	if p.in.Owner == nil {
		return nil
	}
	header, err := p.in.Owner.header(p.in.GOOS)
	if err != nil {
		return err
	}
	if !p.take(header, p.reserve()) {
		return protocol.UsageError("", "the context budget of this room is too small for the owner header").
			WithHint("raise policy.contextBudgetBytes in acc.workspace.json")
	}
	p.header = header
	return nil
}

const namedPeers = 6 // how many peers the room line names

// fitRoom names the others, if there are any. Who they are and where is the fact; whether one is idle
// changes too often to be worth a line of its own.
func (p *page) fitRoom() {
	if len(p.in.Peers) == 0 {
		return
	}
	var names, facts []string
	for i, peer := range p.in.Peers {
		facts = append(facts, peer.ParticipantID, peer.Branch)
		if i < namedPeers {
			names = append(names, p.peer(peer))
		}
	}
	line := "Room: " + plural(len(p.in.Peers), "other") + " here: " + strings.Join(names, ", ")
	if extra := len(p.in.Peers) - len(names); extra > 0 {
		line += " and " + strconv.Itoa(extra) + " more"
	}
	p.room, _ = p.say("room\x00"+strings.Join(facts, "\x00"), line+".", p.reserve())
}

func (p *page) peer(peer Peer) string {
	var facts []string
	if peer.Branch != "" {
		facts = append(facts, "branch "+clip(Line(peer.Branch, p.in.Tags), 60))
	}
	switch peer.Presence {
	case protocol.Stale:
		facts = append(facts, "idle")
	case protocol.PresenceUnknown:
		facts = append(facts, "presence unknown")
	}
	name := Line(peer.ParticipantID, p.in.Tags)
	if len(facts) == 0 {
		return name
	}
	return name + " (" + strings.Join(facts, ", ") + ")"
}

// fitOwed names the obligations among the queued messages.
func (p *page) fitOwed() {
	for _, m := range p.in.Mail {
		kind := ""
		switch m.Message.Obligation {
		case protocol.ObligationReply:
			kind = "reply_required"
		case protocol.ObligationAcknowledge:
			kind = "acknowledgement_required"
		}
		if kind == "" || m.Repeat != nil {
			continue
		}
		id := m.Message.MessageID
		line := "- [" + kind + "] " + id + ` "` + clip(Line(m.Message.Subject, p.in.Tags), protocol.SubjectPreview) +
			`" from ` + Line(m.Message.FromParticipantID, p.in.Tags) + ", " + age(p.in.Now.Sub(m.Message.SentAt))
		said, fits := p.say(kind+"\x00"+id, line, p.reserve())
		if !fits {
			return
		}
		p.owed = append(p.owed, said)
	}
}

// fitMail carries whole bodies in order and says in one line what is left. A body is too long when it
// does not fit although it comes first.
func (p *page) fitMail() {
	room := p.left - p.reserve()
	var dropped []string
	stopped := false
	for _, m := range p.in.Mail {
		id, text := m.Message.MessageID, p.block(m)
		tooLong := cost(text) > room
		if tooLong || stopped || !p.take(text, p.reserve()) {
			dropped, stopped = append(dropped, id), stopped || !tooLong
			continue
		}
		p.blocks = append(p.blocks, text)
		p.carried = append(p.carried, id)
		if m.Repeat != nil {
			p.repeated = append(p.repeated, id)
		}
	}
	if line := recovery(dropped, p.in.More); line != "" && p.take(line, 0) {
		p.recovery = line
	}
}

// recovery names what waits and the command that reads it.
func recovery(dropped []string, more int) string {
	rest := len(dropped) - 1 + more
	switch {
	case len(dropped) > 0 && rest == 0:
		return dropped[0] + " waits: acc inbox --message " + dropped[0]
	case len(dropped) > 0:
		return dropped[0] + " waits: acc inbox --message " + dropped[0] + " (+" + strconv.Itoa(rest) + " more)"
	case more > 0:
		return strconv.Itoa(more) + " more wait: acc inbox"
	}
	return ""
}

// fitReminder counts what was shown before and is still owed. It is the one fact that is said again
// and again.
func (p *page) fitReminder() {
	if p.in.Reminders == 0 {
		return
	}
	verb := " are"
	if p.in.Reminders == 1 {
		verb = " is"
	}
	line := "- " + plural(p.in.Reminders, "earlier obligation") + verb + " still open: acc inbox"
	if p.take(line, 0) {
		p.reminder = line
	}
}

// fitInformation adds what is good to know and says in one line when there was no room for all of it.
func (p *page) fitInformation() {
	for i, a := range p.in.Attention {
		rest := len(p.in.Attention) - i
		overflow, free := "- "+strconv.Itoa(rest)+" more: acc status --json", 0
		if rest > 1 {
			free = cost(overflow)
		}
		said, fits := p.say(a.Kind+"\x00"+a.SourceID, p.attention(a), free)
		if !fits {
			if p.take(overflow, 0) {
				p.information = append(p.information, overflow)
			}
			return
		}
		p.information = append(p.information, said)
		p.told = append(p.told, a)
	}
}

// attention is one line that always holds the id to act on.
func (p *page) attention(a Attention) string {
	summary := clip(Line(a.Summary, p.in.Tags), 2*protocol.SubjectPreview)
	id := Line(a.SourceID, p.in.Tags)
	if strings.Contains(summary, id) {
		return "- [" + a.Kind + "] " + summary
	}
	return "- [" + a.Kind + "] " + id + " " + summary
}

// render joins the sections in the order in which they are read.
func (p *page) render() (text string, relevant bool) {
	var b strings.Builder
	add := func(lines ...string) {
		for _, line := range lines {
			if line != "" {
				b.WriteString(line + "\n")
			}
		}
	}
	add(p.header)
	header := b.Len()
	add(p.room)
	add(p.owed...)
	add(p.information...)
	add(p.reminder)
	add(p.blocks...)
	add(p.recovery)
	return b.String(), b.Len() > header
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// age tells a duration the way a person would.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " days"
}

// clip cuts a text that is already one safe line, between characters.
func clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	cut := bytes
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
