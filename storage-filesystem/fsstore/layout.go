package fsstore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/acc-control-plane/acc/protocol"
)

// Names below the directory of a store.
const (
	identityFile   = "protocol.json"
	headFile       = "head.json"
	appliedFile    = "applied.json"
	retentionFile  = "retention.json"
	journalDir     = "journal"
	checkpointFile = journalDir + "/checkpoint.json"
	stateDir       = "state"
	ephemeralDir   = "ephemeral"
	presenceDir    = ephemeralDir + "/presence"
	bindingDir     = ephemeralDir + "/binding"
	soloFile       = ephemeralDir + "/solo.json"
	locksDir       = "locks"
	lockFile       = locksDir + "/writer.lock"
	tmpDir         = "tmp"
)

// Limits of the small files, in bytes.
const (
	maxMark     = 4 << 10
	maxIdentity = 4 << 10
	maxSolo     = 4 << 20
	maxState    = 4 * protocol.MaxRecordBytes // indented
)

func segmentFile(firstSequence uint64) string {
	return journalDir + "/" + protocol.FormatSequence(firstSequence) + ".log"
}

// recordKey names a record.
type recordKey struct {
	kind protocol.Kind
	id   string
}

func (k recordKey) String() string { return fmt.Sprintf("%s %q", k.kind, k.id) }

// dir and file of the state file of a record. The two hex digits spread a kind over 256 directories.
func (k recordKey) dir() string {
	sum := sha256.Sum256([]byte(k.id))
	return stateDir + "/" + string(k.kind) + "/" + hex.EncodeToString(sum[:1])
}

func (k recordKey) file() string { return k.dir() + "/" + k.id + ".json" }

// portable says whether id can be the name of a file, which is so for every id that a record may have.
func portable(id string) bool {
	if id == "" || len(id) > protocol.MaxIDLength || !alphanumeric(id[0]) {
		return false
	}
	for i := 1; i < len(id); i++ {
		if c := id[i]; !alphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// tmpName gives a name in tmp/ that nobody else uses; the pid is for people.
func tmpName() string { return fmt.Sprintf("%s/%d-%016x", tmpDir, os.Getpid(), rand.Uint64()) }
