package hookrunner

import (
	"context"
	"errors"

	"github.com/acc-control-plane/acc/protocol"
)

// The diagnostics of a hook are a closed list: they may land in a client's log or on a person's screen,
// so they hold no path, no error text and nothing that a peer wrote.
const (
	misused        = "usage: acc-hook ADAPTER [EVENT], payload on standard input"
	unknownAdapter = "this build has no such adapter; run acc install"
	misbuilt       = "this build's adapters are broken; run acc install"
	unreadable     = "the hook payload could not be read; run acc doctor"
	failed         = "coordination was skipped for this event; run acc doctor"
	tooLate        = "coordination took too long and was skipped for this event; run acc doctor"
	busy           = "the room's store was busy and this event was not recorded"
	damaged        = "the room's store is damaged; run acc doctor"
	outdated       = "the room's store has an older layout; run acc doctor --migrate-store"
	foreignStore   = "the room's store was made by another version of acc; run acc doctor"
	ownData        = "this directory contains acc's own data; start the client in a project directory"
	moved          = "this directory now belongs to another room than the session; restart the client to join it"
	unsafePath     = "a file of acc is a link or belongs to somebody else; run acc doctor"
	noHome         = "there is no data home; set ACC_DATA_HOME to an absolute directory"
	headerLeftOut  = "the owner header does not fit or its directory cannot be quoted; acc commands need --session and --generation"
	unguarded      = "claims could not be checked, so the edit was let through; run acc doctor"
	notOffered     = "the client did not take the answer; the messages stay queued"
	updating       = "acc is being updated and this event was skipped; acc update finishes an update that was interrupted"
	occupied       = "another process is changing which acc runs, and this event was skipped"
	uninhabitable  = "the installation of acc is damaged, so this event was skipped; run acc doctor"
	notRecorded    = "the messages were shown but that was not recorded; they may be shown again"
)

// adviceOn gives the line for a reason of the store or of the installation; empty: there is none.
func adviceOn(reason protocol.Reason) string {
	switch reason {
	case protocol.ReasonLockBusy, protocol.ReasonNotCommitted, protocol.ReasonCommitUnknown:
		return busy
	case protocol.ReasonStoreCorrupt:
		return damaged
	case protocol.ReasonStoreMigration:
		return outdated
	case protocol.ReasonStoreForeign:
		return foreignStore
	case protocol.ReasonWorkspaceContainsStore:
		return ownData
	case protocol.ReasonWorkspaceChanged:
		return moved
	case protocol.ReasonPathUnsafe:
		return unsafePath
	case protocol.ReasonActivating:
		return updating
	case protocol.ReasonAdmissionBusy:
		return occupied
	}
	return ""
}

// adviceOf turns any error into a line of the closed list.
func adviceOf(err error, otherwise string) string {
	var advised *advisedError
	if errors.As(err, &advised) {
		return advised.advice
	}
	if advice := adviceOn(protocol.ReasonOf(err)); advice != "" {
		return advice
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), protocol.CodeOf(err) == protocol.Timeout:
		return tooLate
	case errors.Is(err, errAnswer):
		return notOffered
	}
	return otherwise
}

// advisedError carries a line of the closed list for a cause that has none of its own.
type advisedError struct {
	advice string
	cause  error
}

func (e *advisedError) Error() string { return e.advice }
func (e *advisedError) Unwrap() error { return e.cause }

// advised keeps the more exact advice of the cause if there is one.
func advised(err error, advice string) error {
	if err == nil {
		return nil
	}
	return &advisedError{adviceOf(err, advice), err}
}
