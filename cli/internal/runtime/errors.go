package runtime

import (
	"errors"
	"fmt"

	"github.com/acc-control-plane/acc/protocol"
)

// Why something was not done. Nothing was changed then, unless it is said.
const (
	// ReasonUnmanaged: no generation was ever installed in this data home.
	ReasonUnmanaged protocol.Reason = "unmanaged"
	// ReasonRecordDamaged: a record cannot be read; nothing is done on a guess.
	ReasonRecordDamaged protocol.Reason = "runtime_record_damaged"
	// ReasonGenerationDamaged: a generation is not what its name and manifest say, or is gone.
	ReasonGenerationDamaged protocol.Reason = "generation_damaged"
	// ReasonProcessesActive: processes or sessions of another store contract are at work.
	ReasonProcessesActive protocol.Reason = "processes_active"
	// ReasonStateChanged: somebody else changed what was prepared for.
	ReasonStateChanged protocol.Reason = "state_changed"
	// ReasonRefreshFailed: a client could not be brought up to date. The fence stays: nothing starts until
	// acc update has finished it.
	ReasonRefreshFailed protocol.Reason = "refresh_failed"
	// ReasonAdapterMissing: the generation lacks an adapter that is wired here.
	ReasonAdapterMissing protocol.Reason = "adapter_missing"
	// ReasonNothingPending: there is nothing to activate.
	ReasonNothingPending protocol.Reason = "nothing_pending"
	// ReasonOlder: the generation is older than the active one.
	ReasonOlder protocol.Reason = "older_generation"
	// ReasonContract: stores here may already be of a later contract than the generation reads.
	ReasonContract protocol.Reason = "store_contract_older"
	// ReasonWorkerBusy: another worker is at work.
	ReasonWorkerBusy protocol.Reason = "worker_busy"
)

func failed(what, path string, err error) error {
	var known *protocol.Error
	if errors.As(err, &known) {
		return known
	}
	return protocol.DataError("", fmt.Sprintf("%s %s: %v", what, path, err)).Because(err)
}
