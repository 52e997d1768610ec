package protocol

import (
	"errors"
	"maps"
)

// Code classifies an error for callers and is, at the same time, the exit code of a command.
type Code int

// The exit codes of every acc executable. A hook is the exception: it exits 0 whatever happened,
// unless the client's own deny shape asks for another code.
const (
	OK        Code = 0 // the command did what was asked
	Usage     Code = 2 // the request itself is wrong: unknown option, missing argument, ambiguous name
	Timeout   Code = 3 // a deadline passed before the decision point; nothing was committed
	Data      Code = 4 // stored or supplied data is malformed, unknown or incompatible
	Conflict  Code = 5 // somebody else holds it, or the caller's knowledge is out of date
	Attention Code = 6 // the command succeeded and something needs the caller's attention
)

// Reason is a stable machine-readable cause, finer than Code. New reasons may be added.
type Reason string

// Reasons that callers may branch on.
const (
	ReasonInvalidArguments        Reason = "invalid_arguments"          // the request itself is wrong, and no finer reason fits
	ReasonUnclaimable             Reason = "unclaimable_resource"       // the name of a resource could never match, or could mean two things
	ReasonUnknownCursor           Reason = "unknown_cursor"             // the cursor is none of this list
	ReasonDeadlinePassed          Reason = "deadline_passed"            // the time was over before anything was decided
	ReasonInterrupted             Reason = "interrupted"                // somebody stopped the command before anything was decided
	ReasonNothingArrived          Reason = "nothing_arrived"            // what was waited for did not come in time
	ReasonConfigExists            Reason = "config_exists"              // there is a configuration already
	ReasonOutputExists            Reason = "output_exists"              // there is a file of that name already
	ReasonUnexpected              Reason = "unexpected"                 // an error that acc did not foresee
	ReasonCallerUnresolved        Reason = "caller_identity_unresolved" // no owner pair was given
	ReasonCallerMismatch          Reason = "caller_workspace_mismatch"  // the owner pair is not of this room, or of another generation
	ReasonWorkspaceContainsStore  Reason = "workspace_contains_runtime" // the data home lies in the workspace, or the reverse
	ReasonWorkspaceUnquotable     Reason = "workspace_path_unquotable"  // the path cannot be written into a shell command line
	ReasonStoreMigration          Reason = "store_migration_required"   // the store has an older contract; the next command is in the hint
	ReasonStoreForeign            Reason = "store_foreign"              // the store has another layout, version or workspace id
	ReasonStoreCorrupt            Reason = "store_corrupt"              // a file of the store is damaged; names file and offset
	ReasonStoreAbsent             Reason = "store_absent"               // nothing was recorded here yet
	ReasonPathUnsafe              Reason = "path_unsafe"                // a link, another type or a foreign owner on a path of ours
	ReasonWorkspaceChanged        Reason = "workspace_identity_changed" // the directory a session started in is another room now
	ReasonIndexUnavailable        Reason = "index_unavailable"          // derived pages are lost or damaged: acc doctor --repair
	ReasonLockBusy                Reason = "lock_busy"                  // the deadline passed while another process held the writer lock; names it
	ReasonCommittedNotVisible     Reason = "committed_not_visible"      // the write is durable; the next writer makes it visible
	ReasonNotCommitted            Reason = "not_committed"              // the write failed and was taken back
	ReasonCommitUnknown           Reason = "commit_unknown"             // the write may have happened; retry with the same client message id
	ReasonUnknownRecipient        Reason = "unknown_recipient"          // nobody of that name; names the strangers and the known list
	ReasonAmbiguousRecipient      Reason = "ambiguous_recipient"        // the name fits several; names the candidates
	ReasonReplyRequired           Reason = "reply_required"             // an ack cannot settle what is owed a reply
	ReasonClientMessageIDConflict Reason = "client_message_id_conflict" // the key was used for other content
	ReasonClaimConflict           Reason = "claim_conflict"             // somebody else holds it; names claim, owner and expiry
	ReasonSessionLive             Reason = "session_live"               // the session id belongs to a session that may be alive
	ReasonSessionClosed           Reason = "session_closed"             // the owner pair is right but the session has ended
	ReasonNotFound                Reason = "not_found"                  // there is no such record; names kind and id
	ReasonMalformed               Reason = "malformed_data"             // a document breaks its definition; the detail path names the member
	ReasonReceiptBackward         Reason = "receipt_backward"           // the receipt is already further
	ReasonActivating              Reason = "activating"                 // acc is being updated: nothing starts until that is finished
	ReasonAdmissionBusy           Reason = "admission_busy"             // another process changes which acc runs; try again
)

// Error is the one error type that crosses module boundaries. Message is lower case without a full
// stop, says what happened and to which file or id. Hint is the one next command, or empty. Details
// are printable facts (never a credential, never an endpoint) for --json.
type Error struct {
	Code    Code
	Reason  Reason
	Message string
	Hint    string
	Details map[string]any
	Err     error // the cause, for errors.Is; never printed with --json
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf-free construction keeps call sites greppable: one constructor per code.

// UsageError says that the request is wrong. Without a finer reason it has ReasonInvalidArguments.
func UsageError(reason Reason, message string) *Error {
	if reason == "" {
		reason = ReasonInvalidArguments
	}
	return &Error{Code: Usage, Reason: reason, Message: message}
}

// DataError says that data is malformed, unknown or incompatible.
func DataError(reason Reason, message string) *Error {
	return &Error{Code: Data, Reason: reason, Message: message}
}

// ConflictError says that somebody else holds it or that the caller is out of date.
func ConflictError(reason Reason, message string) *Error {
	return &Error{Code: Conflict, Reason: reason, Message: message}
}

// TimeoutError says that a deadline passed and nothing was committed. Without a finer reason it has
// ReasonDeadlinePassed.
func TimeoutError(reason Reason, message string) *Error {
	if reason == "" {
		reason = ReasonDeadlinePassed
	}
	return &Error{Code: Timeout, Reason: reason, Message: message}
}

// With returns a copy of e with one more detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = map[string]any{}
	}
	c.Details[key] = value
	return &c
}

// WithHint returns a copy of e that names the next command.
func (e *Error) WithHint(hint string) *Error {
	c := *e
	c.Hint = hint
	return &c
}

// Because returns a copy of e with its cause.
func (e *Error) Because(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// CodeOf maps any error to an exit code: nil is OK, an unknown error is Data.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Data
}

// ReasonOf gives the reason of err, or "" when it has none.
func ReasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}
