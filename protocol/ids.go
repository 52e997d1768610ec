package protocol

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

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

// FormatSequence gives the 16 zero-padded digits of a sequence; 0 is the cursor before everything.
func FormatSequence(sequence uint64) string { return fmt.Sprintf("%0*d", SequenceDigits, sequence) }

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
