package protocol

import (
	"crypto/rand"
	"encoding/base64"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Generator mints ids and credentials from the operating system's entropy. Ids of one Generator sort
// in the order in which they were minted, also within a millisecond and when the clock steps back;
// between processes they do not: order comes from the journal. It is safe for concurrent use.
type Generator struct {
	mu      sync.Mutex
	last    uint64 // millisecond of the last id
	now     func() time.Time
	entropy *ulid.MonotonicEntropy // made for the first id: most processes mint none
}

// NewGenerator gives a Generator.
func NewGenerator() *Generator {
	return &Generator{now: time.Now}
}

// NewID gives `<prefix>_<ULID>`.
func (g *Generator) NewID(prefix string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.entropy == nil {
		g.entropy = ulid.Monotonic(rand.Reader, 0)
	}
	g.last = max(g.last, ulid.Timestamp(g.now()))
	id, err := ulid.New(g.last, g.entropy)
	for err != nil {
		// The random part of this millisecond overflowed: borrow the next one. Nothing else can
		// fail, because crypto/rand never does and the clock is far from the year 10889.
		g.last++
		id, err = ulid.New(g.last, g.entropy)
	}
	return prefix + "_" + id.String()
}

// NewGeneration gives 128 random bits as 22 characters of base64url, the first of them a letter or a
// digit, so that it can be given to a command as it is.
func (g *Generator) NewGeneration() string {
	for {
		var bits [16]byte
		_, _ = rand.Read(bits[:]) // never fails
		if text := base64.RawURLEncoding.EncodeToString(bits[:]); isAlphanumeric(text[0]) {
			return text
		}
	}
}
