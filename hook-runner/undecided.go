package hookrunner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// Undecided counts the writes of one conversation that were let through because claims could not be
// checked. It is a diagnostic: two hooks at once may count one.
type Undecided struct {
	AdapterID string
	Count     int
	FirstAt   time.Time
	LastAt    time.Time
}

const (
	undecidedEnding   = ".undecided.json"
	maxUndecidedBytes = 4 << 10
	maxUndecided      = 1 << 30
)

var undecidedFile = &strictjson.Object[Undecided]{
	Name: "undecided", Doc: "Writes that a conversation was allowed although claims could not be checked.",
	MaxBytes: maxUndecidedBytes,
	Members: []strictjson.Member[Undecided]{
		strictjson.Const[Undecided]("schemaVersion", "always 1", 1),
		strictjson.Field("adapterId", "adapter", func(u *Undecided) *string { return &u.AdapterID }, strictjson.Line(protocol.MaxIDLength)),
		strictjson.Field("count", "how many", func(u *Undecided) *int { return &u.Count }, strictjson.Int(1, maxUndecided)),
		strictjson.Field("firstAt", "when the first", func(u *Undecided) *time.Time { return &u.FirstAt }, strictjson.Time()),
		strictjson.Field("lastAt", "when the last", func(u *Undecided) *time.Time { return &u.LastAt }, strictjson.Time()),
	},
}

// countUndecided adds one. What goes wrong here is not worth a word: the diagnostic line was written.
func (f ownerFiles) countUndecided(now time.Time) {
	now = now.UTC().Truncate(time.Millisecond)
	path := f.stem + undecidedEnding
	u := Undecided{AdapterID: f.session.AdapterID, FirstAt: now}
	if data, err := f.tree.Read(path, maxUndecidedBytes); err == nil {
		if before, err := undecidedFile.Decode(data); err == nil {
			u = before
		}
	}
	u.Count, u.LastAt = min(u.Count+1, maxUndecided), now
	if data, err := undecidedFile.Append(nil, &u); err == nil {
		_ = f.tree.Write(path, data)
	}
}

// ReadUndecided gives the counts of every conversation of the room whose store lies in dir, below base.
// Files that cannot be read are left out and counted in unreadable.
func ReadUndecided(base, dir string) (counts []Undecided, unreadable int, err error) {
	bindings := filepath.Join(dir, "bindings")
	entries, err := os.ReadDir(bindings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, protocol.DataError("", "cannot list "+bindings).Because(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), undecidedEnding) {
			continue
		}
		data, err := privatefile.ReadBelow(base, filepath.Join(bindings, entry.Name()), maxUndecidedBytes)
		if err != nil {
			unreadable++
			continue
		}
		u, err := undecidedFile.Decode(data)
		if err != nil {
			unreadable++
			continue
		}
		counts = append(counts, u)
	}
	return counts, unreadable, nil
}
