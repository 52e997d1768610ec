package fsstore

import (
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// loads reads state files, each at most once, and remembers what it read: a callback that runs again
// gets the same bytes, and what a later frame touched is known.
type loads struct {
	dir     vfs.Dir
	files   map[recordKey]*loaded
	kinds   map[protocol.Kind][]recordKey // whole kinds that were listed
	dirs    map[protocol.Kind]bool        // kinds whose directory was seen
	solo    map[recordKey]core.Stored     // nil: not read
	indexes *indexes                      // nil: not read
	base    int                           // of bases: where the indexes are read from
	walks   int                           // that failed with the manifest of base 0
	fresh   int                           // reads of files since it was last set to 0
	promise func() (bool, error)          // that state is published as far as was read; nil: nobody can take it back
	gone    bool                          // the state directory was deleted: the journal alone counts
}

// loaded is a state file as it was when it was read.
type loaded struct {
	found  bool
	image  image
	stored core.Stored // decoded on demand
}

func newLoads(dir vfs.Dir) *loads {
	return &loads{dir: dir, files: map[recordKey]*loaded{}, kinds: map[protocol.Kind][]recordKey{}, dirs: map[protocol.Kind]bool{}}
}

func (c *loads) has(kind protocol.Kind, id string) bool {
	if _, ok := c.kinds[kind]; ok {
		return true
	}
	_, ok := c.files[recordKey{kind, id}]
	return ok
}

// file gives the state file of key.
func (c *loads) file(key recordKey) (*loaded, error) {
	if l, ok := c.files[key]; ok {
		return l, nil
	}
	if c.gone {
		return &loaded{}, nil
	}
	c.fresh++
	raw, err := c.dir.ReadFile(key.file(), maxState)
	l := &loaded{found: err == nil}
	switch {
	case vfs.Missing(err):
		if raw, err = c.lookAgain(key); err != nil {
			return nil, err
		}
		l.found = raw != nil
	case err != nil:
		return nil, readError(key.file(), err)
	}
	if l.found {
		if l.image, err = decodeState(key, raw); err != nil {
			return nil, err
		}
	}
	c.files[key] = l
	return l, nil
}

// checkState tells a record that does not exist from a state directory that somebody has deleted.
func (c *loads) checkState() error {
	_, err := c.stateID()
	return err
}

func (c *loads) stateID() (vfs.FileID, error) {
	st, err := c.dir.Stat(stateDir)
	if vfs.Missing(err) {
		return vfs.FileID{}, errStateGone
	}
	return st.ID, err
}

// lookAgain makes sure that a record does not exist. The state directory may have been deleted, and a writer
// may be making it again right now: it takes back every promise about it first, and gives them anew when
// everything is there. So if the promise stands, and the directory is the same before and after a second
// look, the record is not there. nil: it is not.
func (c *loads) lookAgain(key recordKey) ([]byte, error) {
	before, err := c.stateID()
	if err != nil || c.promise == nil {
		return nil, err
	}
	if stands, err := c.promise(); err != nil {
		return nil, err
	} else if !stands {
		return nil, errRestart
	}
	raw, err := c.dir.ReadFile(key.file(), maxState)
	if err != nil && !vfs.Missing(err) {
		return nil, readError(key.file(), err)
	}
	after, err := c.stateID()
	if err == nil && after != before {
		err = errRestart
	}
	return raw, err
}

// snapshot is the room after one frame. It implements core.Reader.
type snapshot struct {
	store   *Store
	journal journal
	at      place
	overlay *overlay
	loads   *loads
	trimmed *uint64
	decoded map[recordKey]core.Stored // of the overlay

	expected map[recordKey]bool // records that an index has listed
	fault    error              // errors that restart the read, whatever the callback makes of them
}

// Get implements core.Reader.
func (s *snapshot) Get(kind protocol.Kind, id string) (core.Stored, bool, error) {
	stored, found, err := s.get(recordKey{kind, id})
	return stored, found, s.note(err)
}

func (s *snapshot) get(key recordKey) (core.Stored, bool, error) {
	if !portable(key.id) {
		return core.Stored{}, false, nil // no record can have such an id
	}
	if s.at.Generation == 0 {
		solo, err := s.solo()
		stored, found := solo[key]
		return stored, found, err
	}
	if m, ok := s.overlay.images[key]; ok {
		return s.fromOverlay(key, m)
	}
	l, err := s.loads.file(key)
	if err != nil {
		return core.Stored{}, false, err
	}
	if !l.found {
		return core.Stored{}, false, s.mayBeAbsent(key)
	}
	if l.image.generation > s.at.Generation {
		return core.Stored{}, false, errOvertaken
	}
	if l.stored.Record == nil {
		if l.stored, err = l.image.stored(key, key.file()); err != nil {
			return core.Stored{}, false, err
		}
	}
	return l.stored, true, nil
}

func (s *snapshot) fromOverlay(key recordKey, m image) (core.Stored, bool, error) {
	if m.record == nil {
		return core.Stored{}, false, nil
	}
	if stored, ok := s.decoded[key]; ok && stored.Generation == m.generation {
		return stored, true, nil
	}
	stored, err := m.stored(key, journalDir)
	if err != nil {
		return core.Stored{}, false, err
	}
	s.decoded[key] = stored
	return stored, true, nil
}

// Position implements core.Reader.
func (s *snapshot) Position() core.Commit {
	return core.Commit{Generation: s.at.Generation, LastSequence: s.at.Sequence}
}

// TrimmedThrough implements core.Reader.
func (s *snapshot) TrimmedThrough() uint64 {
	if s.trimmed == nil {
		floor, err := readFloor(s.journal.dir)
		if s.note(err) != nil {
			return 0
		}
		s.trimmed = &floor
	}
	return *s.trimmed
}

// note remembers an error after which nothing that the callback concludes may stand.
func (s *snapshot) note(err error) error {
	if err != nil && s.fault == nil {
		s.fault = err
	}
	return err
}
