package fsstore

import (
	"context"
	"fmt"

	"github.com/acc-control-plane/acc/protocol"
)

// Migration says how a store of the earlier contract may become one of this.
type Migration struct {
	// Agreed is the caller's word that somebody has asked for it: there is no way back.
	Agreed bool
	// Admit keeps processes of other contracts out, and refuses when one of them may be at work. It runs
	// before the writer lock is taken; release is called after that is given up. Required.
	Admit func(ctx context.Context) (release func(), err error)
}

// MigrationReport says what became of a store.
type MigrationReport struct {
	WorkspaceID string
	FromVersion int
	ToVersion   int
	Migrated    bool // false: it was of this contract already
}

// Migrate turns a store of contract 6 into one of contract 7, which adds the indexes. It checks every frame,
// record and event first and changes nothing if one of them is not right; then it makes the indexes, and
// replaces the identity last. Killed at any moment it can simply be run again.
func Migrate(ctx context.Context, opts Options, m Migration) (MigrationReport, error) {
	if !m.Agreed || m.Admit == nil {
		return MigrationReport{}, protocol.UsageError("", "a migration has to be asked for: there is no way back").WithHint("acc doctor --migrate-store")
	}
	release, err := m.Admit(ctx)
	if err != nil {
		return MigrationReport{}, err
	}
	defer release()
	opts.Create = false
	s, err := open(ctx, opts, true)
	if err != nil {
		return MigrationReport{}, err
	}
	report := MigrationReport{WorkspaceID: opts.WorkspaceID, ToVersion: protocol.StoreVersion}
	err = s.write(ctx, func(w *writing) error { return w.migrate(ctx, &report) })
	return report, err
}

func (w *writing) migrate(ctx context.Context, report *MigrationReport) error {
	id, found, err := w.store.readIdentity(w.dir)
	if err != nil || !found {
		return err
	}
	report.FromVersion = int(id.StoreVersion)
	if id.StoreVersion == protocol.StoreVersion {
		return nil
	}
	if err := w.validate(ctx); err != nil {
		return err
	}
	if err := w.rebuildIndexes(ctx); err != nil {
		return err
	}
	id.StoreVersion = protocol.StoreVersion
	raw, err := identityFormat.AppendIndent(nil, &id)
	if err == nil {
		w.store.step(StepMigrate)
		err = replaceDurably(w.dir, identityFile, raw)
	}
	if err != nil {
		return writeError(identityFile, err)
	}
	report.Migrated = true
	w.store.diagnose(makeReserve(w.dir))
	return nil
}

// validate checks everything but the indexes, and refuses for the first thing that is wrong.
func (w *writing) validate(ctx context.Context) error {
	found, err := w.store.Fsck(ctx)
	if err != nil {
		return err
	}
	for _, f := range found.Findings {
		if f.File != manifestFile {
			return protocol.DataError(protocol.ReasonStoreCorrupt, fmt.Sprintf("the store cannot be migrated: %s", f)).
				With("file", f.File).With("offset", f.Offset).WithHint("acc doctor")
		}
	}
	return nil
}
