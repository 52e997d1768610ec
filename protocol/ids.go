package protocol

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Prefixes of generated ids: `<prefix>_<ULID>`.
const (
	SessionIDPrefix  = "session"
	MessageIDPrefix  = "message"
	EventIDPrefix    = "event"
	ClaimIDPrefix    = "claim"
	TransactionID    = "transaction"
	ClientIDPrefix   = "client"
	ReceiptIDPrefix  = "receipt"
	WorkspacePrefix  = "workspace"
	RoomScheme       = "acc://"
	GenerationRefLen = 16
)

// ReceiptID is the deterministic storage id of the receipt of a message with a participant.
func ReceiptID(messageID, participantID string) string {
	return ReceiptIDPrefix + "_" + base64.RawURLEncoding.EncodeToString(hashPair(messageID, participantID))
}

// GenerationRef is what events, logs and public reads show instead of a generation: the first 16 hex
// digits of its SHA-256.
func GenerationRef(generation string) string {
	sum := sha256.Sum256([]byte(generation))
	return hex.EncodeToString(sum[:])[:GenerationRefLen]
}

// RoomRef is the `acc://` selector of a hooked session's saved room.
func RoomRef(adapterID, nativeSessionID string) string {
	return RoomScheme + hex.EncodeToString(hashPair(adapterID, nativeSessionID))
}

// SameGeneration compares an owner credential in constant time; an empty one is never the same.
func SameGeneration(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// WorkspaceIDFromPath is the id of a room that no configuration names; path is canonical: the real
// path of the Git common directory, or of the directory itself.
func WorkspaceIDFromPath(path string) string {
	sum := sha256.Sum256([]byte(path))
	return WorkspacePrefix + "_" + hex.EncodeToString(sum[:16])
}

// HookParticipantID is the participant of a hooked session that was given no name: the adapter and six
// characters that follow from the client's own session id.
func HookParticipantID(adapterID, nativeSessionID string) string {
	sum := sha256.Sum256([]byte(nativeSessionID))
	return adapterID + "-" + base64.RawURLEncoding.EncodeToString(sum[:])[:6]
}

// CleanParticipantName makes a participant id of what a person wrote into ACC_PARTICIPANT: trimmed,
// each run of other characters than A-Z a-z 0-9 . _ - a hyphen, at most MaxParticipantCut long. It is
// false if that leaves no portable id.
func CleanParticipantName(name string) (id string, ok bool) {
	var b strings.Builder
	run := false
	for _, r := range strings.TrimSpace(name) {
		if r < 0x80 && (isAlphanumeric(byte(r)) || r == '.' || r == '_' || r == '-') {
			b.WriteByte(byte(r))
			run = false
		} else if !run {
			b.WriteByte('-')
			run = true
		}
	}
	id = b.String()
	id = id[:min(len(id), MaxParticipantCut)]
	return id, PortableIDProblem(id) == ""
}

// FormatSequence gives the 16 zero-padded digits of a sequence; 0 is the cursor before everything.
func FormatSequence(sequence uint64) string {
	digits := strconv.FormatUint(sequence, 10)
	return "0000000000000000"[:max(0, SequenceDigits-len(digits))] + digits
}

// ParseSequence reads what FormatSequence wrote. Errors are *Error with Code Data.
func ParseSequence(text string) (uint64, error) {
	n, ok := parseSequence(text)
	if !ok {
		return 0, DataError(ReasonMalformed, "invalid sequence: it must be 16 digits")
	}
	return n, nil
}

func parseSequence(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 64) // takes digits only: no sign, no underscore
	return n, err == nil && len(text) == SequenceDigits
}

// hashPair is SHA-256 of the JSON array [a, b], so that no pair of strings collides by concatenation.
func hashPair(a, b string) []byte {
	buf := []byte{'['}
	buf, _ = jsontext.AppendQuote(buf, a)
	buf = append(buf, ',')
	buf, _ = jsontext.AppendQuote(buf, b)
	buf = append(buf, ']')
	sum := sha256.Sum256(buf)
	return sum[:]
}
