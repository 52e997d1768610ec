package search

import (
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Corpus is the messages of a room in the order of their commits.
type Corpus struct {
	// Cursor is the sequence of the last event that was taken in.
	Cursor  uint64
	entries []entry
	known   map[string]bool // ids; nil until something is added
	// block is what the first entries were read from, and starts where each of them begins in it.
	block  string
	starts []int
}

// entry is a message as it is searched. Strings share the block that they were read from.
type entry struct {
	id, from, kind string
	sentAt         int64 // milliseconds since 1970
	subject, body  string
}

// New gives an empty corpus.
func New() *Corpus { return &Corpus{} }

// Len is the number of messages.
func (c *Corpus) Len() int { return len(c.entries) }

// Add takes a message in; one that is known is left alone, because messages never change.
func (c *Corpus) Add(m protocol.Message) {
	if c.known == nil {
		c.known = make(map[string]bool, len(c.entries)+1)
		for _, e := range c.entries {
			c.known[e.id] = true
		}
	}
	if c.known[m.MessageID] {
		return
	}
	c.known[m.MessageID] = true
	c.entries = append(c.entries, entry{
		id: m.MessageID, from: fold(m.FromParticipantID), kind: string(m.MessageKind), sentAt: m.SentAt.UnixMilli(),
		subject: fold(m.Subject), body: fold(m.Body),
	})
}

// fold makes case irrelevant.
func fold(text string) string { return strings.ToLower(text) }

func (e *entry) time() time.Time { return time.UnixMilli(e.sentAt) }
