package update

import (
	"errors"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
)

// Answer gives what an update came to as acc update prints it.
func Answer(m *runtime.Manager, r Result) (view.UpdateData, error) {
	s, err := m.Settings()
	if err != nil {
		return view.UpdateData{}, err
	}
	data := view.UpdateData{
		Outcome: view.UpdateOutcome(r.Outcome), Latest: r.Latest, Active: s.Active.Version,
		Auto: s.Auto, Pin: s.Pin, CheckedAt: s.CheckedAt, Notice: s.Notice,
	}
	if s.Pending != nil {
		data.Pending = s.Pending.Version
	}
	if r.From != s.Active.Version {
		data.Previous = r.From
	}
	return data, nil
}

// Failed gives the error of an update as the command line reports errors.
func Failed(err error) *protocol.Error {
	var known *protocol.Error
	if errors.As(err, &known) {
		return known
	}
	return protocol.DataError("", err.Error()).Because(err)
}
