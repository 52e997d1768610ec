package update

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// Bounds of the upkeep of stores in one pass.
const (
	upkeepTime  = 2 * time.Minute
	upkeepCalls = 64 // of fsstore.MaintenanceBudget files each, for one store
)

// Upkeep does what is due beside updates: it removes generations that nobody uses, brings stores of the earlier
// contract up to date, and keeps every store in order. Each part goes on where the others failed.
func Upkeep(ctx context.Context, m *runtime.Manager, home datahome.Home, due schedule.Work) error {
	unlock, err := Lock(ctx, m, false)
	if err != nil {
		return err
	}
	defer unlock()
	var problems []error
	if slices.Contains(due.Runtime, runtime.WhyUpgrade) {
		_, err := m.UpgradeStores(ctx)
		problems = append(problems, err)
	}
	if slices.Contains(due.Runtime, runtime.WhyReclaim) {
		_, err := m.Reclaim(ctx)
		problems = append(problems, err)
	}
	if due.Stores {
		problems = append(problems, maintain(ctx, home))
	}
	return errors.Join(problems...)
}

// maintain keeps every store in order. The marker is written first: a store that cannot be kept is tried again
// tomorrow, not at every turn.
func maintain(ctx context.Context, home datahome.Home) error {
	if err := schedule.MarkUpkeep(home); err != nil {
		return err
	}
	ids, err := room.Stores(home)
	problems := []error{err}
	rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] }) // where time runs out, not always before the same
	ctx, cancel := context.WithTimeout(ctx, upkeepTime)
	defer cancel()
	for _, id := range ids {
		if ctx.Err() != nil {
			break // the rest has its turn tomorrow
		}
		if err := maintainStore(ctx, home, id); err != nil {
			problems = append(problems, fmt.Errorf("room %s: %w", id, err))
		}
	}
	return errors.Join(problems...)
}

func maintainStore(ctx context.Context, home datahome.Home, id string) error {
	store, err := room.Store(ctx, home, id)
	if err != nil {
		return err
	}
	for range upkeepCalls {
		report, err := store.Maintain(ctx, fsstore.MaintenanceBudget)
		if err != nil || report.Finished {
			return err
		}
	}
	return nil
}
