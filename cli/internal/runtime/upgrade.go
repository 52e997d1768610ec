package runtime

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

const stepMigrate = "upgrade: store " // and the room

// UpgradeReport is what became of the stores of the earlier contract after an activation. It is kept in
// store-upgrade.json.
type UpgradeReport struct {
	Active      string // the generation whose contract they were to get
	Complete    bool
	AttemptedAt time.Time
	Migrated    []string // rooms
	Failed      []string // rooms that keep the earlier contract, and why, one sentence each
}

var upgradeObject = &strictjson.Object[UpgradeReport]{
	Name: "store upgrade", Doc: "The last migration of stores.", MaxBytes: 256 << 10,
	Members: func() []strictjson.Member[UpgradeReport] {
		return []strictjson.Member[UpgradeReport]{
			strictjson.Const[UpgradeReport]("schemaVersion", "always 1", 1),
			strictjson.Field("active", "the generation whose contract they were to get", func(r *UpgradeReport) *string { return &r.Active }, generationName),
			strictjson.Field("complete", "whether nothing is left to be done", func(r *UpgradeReport) *bool { return &r.Complete }, strictjson.Bool()),
			strictjson.Field("attemptedAt", "when", func(r *UpgradeReport) *time.Time { return &r.AttemptedAt }, strictjson.Time()),
			strictjson.Field("migrated", "rooms", func(r *UpgradeReport) *[]string { return &r.Migrated }, strictjson.List(strictjson.Line(protocol.MaxIDLength), 0, 10000)),
			strictjson.Field("failed", "rooms that keep the earlier contract", func(r *UpgradeReport) *[]string { return &r.Failed }, strictjson.List(strictjson.Text(4096), 0, 10000)),
		}
	},
}

// AdmitMigration keeps everybody from starting until release is called, and refuses while a process of another
// contract than this build's may be at work. It is what fsstore.Migration.Admit wants. In an
// unmanaged data home it has nothing to go by but the lock.
func (m *Manager) AdmitMigration(ctx context.Context) (release func(), err error) {
	contracts := m.contracts()
	lock, err := m.exclusive(ctx)
	if err != nil {
		return nil, err
	}
	holders, err := m.users(contracts)
	if err == nil {
		holders = slices.DeleteFunc(holders, func(h Holder) bool { return h.StoreContract == protocol.StoreVersion })
		if len(holders) > 0 {
			err = protocol.ConflictError(ReasonProcessesActive, "stores are not migrated while "+holders[0].String()+" may use them").WithHint("end it, then run the command again")
		}
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return lock.Release, nil
}

// UpgradeStores brings every store of the earlier contract to that of this build, which must be the active
// generation. Each is migrated while nobody can start; a room that cannot be migrated keeps its contract, is told
// of, and is tried again by a later pass.
func (m *Manager) UpgradeStores(ctx context.Context) (UpgradeReport, error) {
	c, err := m.control()
	if err != nil {
		return UpgradeReport{}, err
	}
	report := UpgradeReport{Active: c.Active.Name, Complete: true, AttemptedAt: m.moment()}
	entries, err := os.ReadDir(m.home.Workspaces())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return report, failed("cannot list", m.home.Workspaces(), err)
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		m.upgradeStore(ctx, e.Name(), &report)
	}
	return report, write(m, m.at.StoreUpgrade(), upgradeObject, &report)
}

func (m *Manager) upgradeStore(ctx context.Context, id string, report *UpgradeReport) {
	opts := fsstore.Options{Dir: m.home.Workspace(id), WorkspaceID: id}
	_, contract, err := fsstore.Inspect(ctx, opts)
	if err != nil || contract == 0 || contract == protocol.StoreVersion {
		return // what cannot be opened is doctor's to tell
	}
	m.reach(stepMigrate + id)
	done, err := fsstore.Migrate(ctx, opts, fsstore.Migration{Agreed: true, Admit: m.AdmitMigration})
	switch {
	case err != nil:
		report.Complete = false
		report.Failed = append(report.Failed, id+": "+err.Error())
	case done.Migrated:
		report.Migrated = append(report.Migrated, id)
	}
}
