package launch

import (
	"time"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// Kind says what a process is to the runtime.
type Kind string

// The kinds.
const (
	Hook       Kind = "hook"       // must not wait; ends well whatever happens
	Indicator  Kind = "indicator"  // likewise
	Command    Kind = "command"    // a person or a model waits for it
	Server     Kind = "server"     // lives as long as its client
	Relay      Kind = "relay"      // lives as long as its session
	Management Kind = "management" // changes the runtime: it holds its own files, and nobody's activation
)

// Waits for the admission lock, which others hold for a moment.
const (
	shortWait = 50 * time.Millisecond
	longWait  = time.Second
	poll      = 5 * time.Millisecond
)

func (k Kind) wait() time.Duration {
	if k == Hook || k == Indicator {
		return shortWait
	}
	return longWait
}

// named says whether processes of the kind live long enough to be named to people.
func (k Kind) named() bool { return k == Server || k == Relay }

// Request says who wants to be let in.
type Request struct {
	Program string // its name without ending: "acc-hook"
	Kind    Kind
	Home    datahome.Home
	Args    []string // as os.Args
	// Stdin is what was read from standard input already; the executable of another generation reads it again.
	// nil: nothing was read.
	Stdin []byte
	// Adapter and Session name the session of a client whose generation is to run; both empty: the active one.
	Adapter, Session string
	// Begins says that the session begins now, so that a pin of an earlier client of it does not count.
	Begins bool
}

// Why a process is not let in, beside protocol.ReasonActivating and protocol.ReasonAdmissionBusy.
const (
	// ReasonRuntimeDamaged: a record or a lock cannot be read, or the active generation cannot be started.
	ReasonRuntimeDamaged protocol.Reason = "runtime_damaged"
	// ReasonWrongBuild: the executable in a generation is not the build that the record names.
	ReasonWrongBuild protocol.Reason = "wrong_build"
)

func refuse(reason protocol.Reason, message, hint string, cause error) error {
	return protocol.DataError(reason, message).WithHint(hint).Because(cause)
}

func busy(home datahome.Home, cause error) error {
	return protocol.DataError(protocol.ReasonAdmissionBusy, "acc in "+home.Acc()+" is being changed by another process").
		WithHint("wait a moment, then run the command again").Because(cause)
}
