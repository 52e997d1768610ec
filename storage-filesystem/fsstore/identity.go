package fsstore

import (
	"fmt"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// layoutName keeps this store and others that use the same folder out of each other: the JavaScript
// ACC refuses an identity with a member it does not know, and this one refuses an identity without it.
const layoutName = "go-journal-2"

// identity is protocol.json. It is written once and never replaced, except by a migration.
type identity struct {
	Layout        string
	StoreVersion  int64
	WorkspaceID   string
	InitialisedAt time.Time
}

var identityFormat = &strictjson.Object[identity]{
	Name: "identity", Doc: "Says which store this is.", MaxBytes: maxIdentity,
	Members: func() []strictjson.Member[identity] {
		return []strictjson.Member[identity]{
			strictjson.Field("layout", "of the files", func(i *identity) *string { return &i.Layout }, strictjson.Line(100)),
			strictjson.Field("storeVersion", "contract of the store", func(i *identity) *int64 { return &i.StoreVersion }, strictjson.Int[int64](1, maxNumber)),
			strictjson.Field("workspaceId", "the room", func(i *identity) *string { return &i.WorkspaceID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("initialisedAt", "when it was made", func(i *identity) *time.Time { return &i.InitialisedAt }, strictjson.Time()),
		}
	},
}

// foreignIdentity is as much of any store's identity as is needed to say whose it is.
type foreignIdentity struct {
	Layout       string
	StoreVersion int64
}

var foreignFormat = &strictjson.Object[foreignIdentity]{
	Name: "foreign identity", Doc: "What other stores say of themselves.", MaxBytes: maxIdentity, Open: true,
	Members: func() []strictjson.Member[foreignIdentity] {
		return []strictjson.Member[foreignIdentity]{
			strictjson.Optional("layout", "absent in the JavaScript ACC", func(i *foreignIdentity) *string { return &i.Layout }, strictjson.Text(1000)),
			strictjson.Field("storeVersion", "contract of the store", func(i *foreignIdentity) *int64 { return &i.StoreVersion }, strictjson.Int[int64](-maxNumber, maxNumber)),
		}
	},
}

func (i identity) tag() frame.Tag {
	return frame.NewTag(i.WorkspaceID, i.InitialisedAt.UTC().Format(strictjson.TimeLayout))
}

// readIdentity gives the identity of the store in dir, or found false if none was written yet. Any
// other store is refused untouched.
func (s *Store) readIdentity(dir vfs.Dir) (id identity, found bool, err error) {
	raw, err := dir.ReadFile(identityFile, maxIdentity)
	if vfs.Missing(err) {
		return identity{}, false, nil
	}
	if err != nil {
		return identity{}, false, readError(identityFile, err)
	}
	id, err = s.parseIdentity(raw)
	return id, err == nil, err
}

func (s *Store) parseIdentity(raw []byte) (identity, error) {
	id, err := identityFormat.Decode(raw)
	if err == nil && s.migrating && id.Layout == layoutName && id.WorkspaceID == s.opts.WorkspaceID && id.StoreVersion == protocol.StoreVersion-1 {
		return id, nil
	}
	if err != nil || id.Layout != layoutName {
		return identity{}, s.refuseForeign(raw, err)
	}
	foreign := protocol.DataError(protocol.ReasonStoreForeign, "").With("directory", s.opts.Dir)
	switch {
	case id.WorkspaceID != s.opts.WorkspaceID:
		foreign.Message = fmt.Sprintf("the store in %s belongs to workspace %q, not %q", s.opts.Dir, id.WorkspaceID, s.opts.WorkspaceID)
	case id.StoreVersion > protocol.StoreVersion:
		foreign.Message = fmt.Sprintf("the store in %s has contract %d, which is newer than the %d that this acc knows", s.opts.Dir, id.StoreVersion, protocol.StoreVersion)
		foreign.Hint = "acc update"
	case id.StoreVersion == protocol.StoreVersion-1:
		return identity{}, protocol.DataError(protocol.ReasonStoreMigration, fmt.Sprintf("the store in %s has the earlier contract %d", s.opts.Dir, id.StoreVersion)).
			With("directory", s.opts.Dir).WithHint("acc doctor --migrate-store")
	case id.StoreVersion < protocol.StoreVersion:
		foreign.Message = fmt.Sprintf("the store in %s has the unknown contract %d", s.opts.Dir, id.StoreVersion)
	default:
		return id, nil
	}
	return identity{}, foreign
}

// refuseForeign says whose an identity is that is not of our layout.
func (s *Store) refuseForeign(raw []byte, cause error) error {
	other, err := foreignFormat.Decode(raw)
	switch {
	case err != nil:
		return corrupt(identityFile, 0, err.Error())
	case other.Layout == "":
		return protocol.DataError(protocol.ReasonStoreForeign, fmt.Sprintf("the store in %s was made by the JavaScript acc (contract %d)", s.opts.Dir, other.StoreVersion)).
			With("directory", s.opts.Dir).WithHint("acc import-js " + s.opts.Dir)
	case other.Layout != layoutName:
		return protocol.DataError(protocol.ReasonStoreForeign, fmt.Sprintf("the store in %s has the unknown layout %q", s.opts.Dir, other.Layout)).
			With("directory", s.opts.Dir)
	}
	return corrupt(identityFile, 0, cause.Error())
}

// settle gives the identity of the store in dir and makes the store if there is none and create is
// set. Processes that make it at the same moment agree on the one that was first.
func (s *Store) settle(dir vfs.Dir, create bool) (id identity, found bool, err error) {
	if id, found, err = s.readIdentity(dir); found || err != nil {
		return id, found, err
	}
	if _, err := dir.Stat(journalDir); err == nil {
		// The identity is written before the journal is made: look again, then do not guess.
		if id, found, err = s.readIdentity(dir); found || err != nil {
			return id, found, err
		}
		return identity{}, false, corrupt(identityFile, 0, "it is missing although there is a journal")
	}
	if !create {
		return identity{}, false, nil
	}
	if err := s.initialise(dir); err != nil {
		return identity{}, false, err
	}
	return s.readIdentity(dir)
}

func (s *Store) initialise(dir vfs.Dir) error {
	id := identity{layoutName, protocol.StoreVersion, s.opts.WorkspaceID, s.opts.now()}
	raw, err := identityFormat.AppendIndent(nil, &id)
	if err != nil {
		return protocol.UsageError("", fmt.Sprintf("workspace id %q cannot name a store: %v", s.opts.WorkspaceID, err))
	}
	if err := mkdir(dir, tmpDir); err != nil {
		return err
	}
	s.step(StepIdentity)
	tmp, err := writeTemporary(dir, raw, true)
	if err != nil {
		return writeError(identityFile, err)
	}
	err = dir.Link(tmp, identityFile)
	_ = dir.Remove(tmp) // swept later if it stays
	if err != nil && !vfs.Exists(err) {
		return writeError(identityFile, err)
	}
	if err := dir.SyncDir(""); err != nil {
		return writeError(identityFile, err)
	}
	return nil
}

// makeDirectories makes what is needed before anything is committed. The journal directory comes with its first
// segment, which settles its durability, and the state directory with the recovery that publishes everything anew.
func makeDirectories(dir vfs.Dir) error {
	for _, name := range []string{locksDir, tmpDir, ephemeralDir} {
		if err := mkdir(dir, name); err != nil {
			return err
		}
	}
	return nil
}

func mkdir(dir vfs.Dir, name string) error {
	if err := dir.Mkdir(name); err != nil && !vfs.Exists(err) {
		return ioError("cannot make "+name+"/", err)
	}
	return nil
}
