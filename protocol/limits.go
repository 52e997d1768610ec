package protocol

import "time"

// Limits of the protocol. Sizes are bytes of UTF-8 unless a name says characters.
const (
	SchemaVersion = 3 // of every durable record
	StoreVersion  = 7 // the store contract that this build reads and writes

	MaxIDLength       = 200                   // characters of a portable id
	MaxLine           = 500                   // characters of a one-line text
	MaxSummary        = 280                   // characters of an intent summary
	MaxBody           = 64 * 1024             // bytes of a message body
	MaxResource       = 1024                  // characters of a resource URI
	MaxDecisionLinks  = 16                    // decisions that one message may replace or withdraw
	MaxListItems      = 500                   // entries of any list in a record
	MaxRecordBytes    = 512 * 1024            // bytes of the canonical JSON of one record
	SequenceDigits    = 16                    // decimal digits of a sequence or cursor
	MaxSequence       = 9_999_999_999_999_999 // the last number that SequenceDigits can write
	MaxParticipantCut = 60                    // characters kept of ACC_PARTICIPANT
	MaxTransport      = 100                   // characters of a transport name or a client version
	MaxRoom           = 10_000                // receipts of one room message
	MaxEndpoint       = 4000                  // bytes of an opaque endpoint reference
	InboxPageDefault  = 20                    // messages of an inbox page
	InboxPageMax      = 500                   // messages of an inbox page that may be asked for
	InboxPageBytes    = 12_000                // bytes of the JSON of an inbox page
	SubjectPreview    = 160                   // bytes of a subject in a summary, then an ellipsis
	EventsPageDefault = 100                   // events of one sync
	EventsPageMax     = 500                   // events of one sync that may be asked for
)

// Durations of the protocol.
const (
	DefaultLease        = 1800 * time.Second // of a claim
	HookCadence         = 60 * time.Second   // heartbeat cadence of a hooked session
	AttachCadence       = 30 * time.Second   // heartbeat cadence of acc attach
	HeartbeatEvery      = 30 * time.Second   // a presence file is written at most this often
	OfflineAfter        = 30 * time.Minute   // after the last heartbeat of a session without a known process
	PresenceHorizon     = 24 * time.Hour     // a recorded pid older than this proves nothing
	ClockSkewTolerance  = 60 * time.Second   // a heartbeat further in the future is unknown
	RepeatLiveOffer     = 15 * time.Minute   // age at which a live offer is repeated once, inclusive
	BindingLease        = 120 * time.Second  // of a delivery binding
	StaleCadences       = 3                  // a session is stale after this many cadences
	MaxCadence          = 24 * time.Hour     // of a heartbeat
	MaxClaimLease       = 7 * 24 * time.Hour // of a claim, when asked for
	DefaultHookBudget   = 6000               // bytes of projected context
	MaximumHookBudget   = 64_000             // bytes of projected context that may be configured
	MaximumGitFileBytes = 1 << 20            // bytes of a Git metadata file that are read
)
