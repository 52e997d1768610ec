package hookrunner

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// Firings is what the hooks of one conversation left behind: which of them ran, when last, and what
// became of the writes that they guard. A hook that is on this list is wired beyond doubt; one that is
// not may be wired all the same. It is a diagnostic: of two hooks at once only one may be noted.
type Firings struct {
	AdapterID string
	SessionID string   // acc's; "": the conversation had none yet
	Events    []Firing // each event once, in the order in which they first fired
	Guard     GuardCounts
}

// Firing is the last call of one hook.
type Firing struct {
	Event string        // the client's own name of it
	At    time.Time     // when the process of the hook began
	Took  time.Duration // until everything but this note was done, in whole milliseconds
}

// GuardCounts counts the calls of tools that named files to write.
type GuardCounts struct {
	Allowed     int
	Denied      int
	Undecided   int // let through because claims could not be checked
	Last        GuardOutcome
	LastAt      time.Time
	UndecidedAt time.Time // the last of those; zero: none
}

// GuardOutcome is what a guard said of a write. The zero value is none.
type GuardOutcome string

// The outcomes.
const (
	GuardAllowed   GuardOutcome = "allowed"
	GuardDenied    GuardOutcome = "denied"
	GuardUndecided GuardOutcome = "undecided"
)

const (
	firedEnding    = ".fired.json"
	maxFiringBytes = 16 << 10
	maxFirings     = 32 // events of one conversation; a client has fewer
	maxCount       = 1 << 30
	maxTook        = time.Hour
)

var firingsFile = &strictjson.Object[Firings]{
	Name: "firings", Doc: "Which hooks of a conversation ran, when last, and what became of guarded writes.",
	MaxBytes: maxFiringBytes,
	Members: func() []strictjson.Member[Firings] {
		return []strictjson.Member[Firings]{
			strictjson.Const[Firings]("schemaVersion", "always 1", 1),
			strictjson.Field("adapterId", "adapter", func(f *Firings) *string { return &f.AdapterID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Optional("accSessionId", "session", func(f *Firings) *string { return &f.SessionID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("events", "each event once", func(f *Firings) *[]Firing { return &f.Events },
				strictjson.List(strictjson.Nested(firingObject), 0, maxFirings)),
			strictjson.Field("guard", "writes", func(f *Firings) *GuardCounts { return &f.Guard }, strictjson.Nested(guardObject)),
		}
	},
}

var firingObject = &strictjson.Object[Firing]{
	Name: "firing", Doc: "The last call of a hook.",
	Members: func() []strictjson.Member[Firing] {
		return []strictjson.Member[Firing]{
			strictjson.Field("event", "the client's name of it", func(f *Firing) *string { return &f.Event }, strictjson.Line(adapter.MaxWordBytes)),
			strictjson.Field("at", "when", func(f *Firing) *time.Time { return &f.At }, strictjson.Time()),
			strictjson.Field("tookMs", "how long", func(f *Firing) *time.Duration { return &f.Took }, strictjson.DurationMS(0, maxTook)),
		}
	},
}

var guardObject = &strictjson.Object[GuardCounts]{
	Name: "guard", Doc: "What became of writes.",
	Members: func() []strictjson.Member[GuardCounts] {
		return []strictjson.Member[GuardCounts]{
			strictjson.Field("allowed", "how many", func(g *GuardCounts) *int { return &g.Allowed }, strictjson.Int(0, maxCount)),
			strictjson.Field("denied", "how many", func(g *GuardCounts) *int { return &g.Denied }, strictjson.Int(0, maxCount)),
			strictjson.Field("undecided", "let through unchecked", func(g *GuardCounts) *int { return &g.Undecided }, strictjson.Int(0, maxCount)),
			strictjson.Optional("last", "the last outcome", func(g *GuardCounts) *GuardOutcome { return &g.Last },
				strictjson.Enum(GuardAllowed, GuardDenied, GuardUndecided)),
			strictjson.Optional("lastAt", "when", func(g *GuardCounts) *time.Time { return &g.LastAt }, strictjson.Time()),
			strictjson.Optional("undecidedAt", "the last unchecked one", func(g *GuardCounts) *time.Time { return &g.UndecidedAt }, strictjson.Time()),
		}
	},
}

// count adds one outcome.
func (g *GuardCounts) count(o GuardOutcome, at time.Time) {
	switch o {
	case GuardAllowed:
		g.Allowed = min(g.Allowed+1, maxCount)
	case GuardDenied:
		g.Denied = min(g.Denied+1, maxCount)
	case GuardUndecided:
		g.Undecided, g.UndecidedAt = min(g.Undecided+1, maxCount), at
	default:
		return
	}
	g.Last, g.LastAt = o, at
}

// note puts the last call of an event into the list.
func (f *Firings) note(now Firing) {
	i := slices.IndexFunc(f.Events, func(was Firing) bool { return was.Event == now.Event })
	switch {
	case i >= 0:
		f.Events[i] = now
	case len(f.Events) < maxFirings:
		f.Events = append(f.Events, now)
	}
}

// fired brings the conversation's note up to date. What goes wrong here is not worth a word: the hook has done
// its work.
func (f ownerFiles) fired(sessionID string, now Firing, outcome GuardOutcome) {
	now.At = now.At.UTC().Truncate(time.Millisecond)
	now.Took = min(max(now.Took, 0), maxTook).Truncate(time.Millisecond)
	_ = f.overwrite(firedEnding, maxFiringBytes, func(was []byte) ([]byte, error) {
		noted, err := firingsFile.Decode(was)
		if err != nil {
			noted = Firings{} // there is none yet, or none that can be read
		}
		noted.AdapterID = f.session.AdapterID
		if sessionID != "" {
			noted.SessionID = sessionID
		}
		noted.note(now)
		noted.Guard.count(outcome, now.At)
		return firingsFile.Append(nil, &noted)
	})
}

// ReadFirings gives the notes of every conversation of the room whose store lies in dir, below base.
// Files that cannot be read are left out and counted in unreadable.
func ReadFirings(base, dir string) (all []Firings, unreadable int, err error) {
	bindings := filepath.Join(dir, bindingsDir)
	entries, err := os.ReadDir(bindings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, protocol.DataError("", "cannot list "+bindings).Because(err)
	}
	tree := privatefile.Below(base)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), firedEnding) {
			continue
		}
		switch f, found, err := readFirings(tree, filepath.Join(bindings, entry.Name())); {
		case err != nil:
			unreadable++
		case found:
			all = append(all, f)
		}
	}
	return all, unreadable, nil
}

// maxFiringReads bounds how often a note is read that changes meanwhile.
const maxFiringReads = 16

// readFirings reads a note until it is twice the same: a hook may be writing over it. An empty one was made and not
// written yet.
func readFirings(tree *privatefile.Tree, path string) (f Firings, found bool, err error) {
	var before []byte
	for range maxFiringReads {
		data, err := tree.Read(path, maxFiringBytes)
		if err != nil {
			return Firings{}, false, err
		}
		if len(data) == 0 {
			return Firings{}, false, nil
		}
		if bytes.Equal(before, data) {
			f, err = firingsFile.Decode(data)
			return f, err == nil, err
		}
		before = data
	}
	return Firings{}, false, errors.New(path + " changes faster than it can be read")
}
