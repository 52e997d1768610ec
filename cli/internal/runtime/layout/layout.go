// Package layout names the files of a managed runtime. It touches none of them.
//
//	<data home>/acc/runtime/
//	  control.json                which generation is active, and whether anybody may run
//	  generations/<version>-<24 hexadecimal digits>/   manifest.json and bin/
//	  bin/                        the launch paths: hard links to the files of the active generation
//	  locks/admission.lock        taken for a moment by whoever starts, and by whoever changes something
//	  locks/gen-<generation>.lock held by processes that use stores, as long as they live
//	  locks/gen-<generation>.run  held by management processes that run from the generation
//	  locks/worker.lock           held by the one worker
//	  locks/maintenance.lock      held by who works on the maintenance job
//	  leases/ pins/ staging/      who runs, which session stays on which generation, what is being staged
//	  maintenance.json reclaim.json store-upgrade.json
package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// Runtime is the place of a managed runtime.
type Runtime struct {
	Base string // the data home
	Dir  string // <data home>/acc/runtime
}

// In gives the runtime of a data home.
func In(home datahome.Home) Runtime { return Runtime{Base: home.Root, Dir: home.Runtime()} }

func (r Runtime) at(elements ...string) string {
	return r.Dir + string(filepath.Separator) + strings.Join(elements, string(filepath.Separator))
}

// Control is the record that decides.
func (r Runtime) Control() string { return r.at("control.json") }

// Bin is the directory of the launch paths.
func (r Runtime) Bin() string { return r.at("bin") }

// Generations is the directory of the generations.
func (r Runtime) Generations() string { return r.at("generations") }

// Generation is the directory of one generation.
func (r Runtime) Generation(name string) string { return r.at("generations", name) }

// Executable is a program of a generation.
func (r Runtime) Executable(generation, program string) string {
	return r.at("generations", generation, "bin", Executable(program))
}

// Locks is the directory of the lock files.
func (r Runtime) Locks() string { return r.at("locks") }

// Admission is the lock of everybody who starts.
func (r Runtime) Admission() string { return r.at("locks", "admission.lock") }

// Worker is the lock of the one worker.
func (r Runtime) Worker() string { return r.at("locks", "worker.lock") }

// Users is the lock of the processes of a generation that use stores.
func (r Runtime) Users(generation string) string { return r.at("locks", "gen-"+generation+".lock") }

// Management is the lock of the management processes that run from a generation.
func (r Runtime) Management(generation string) string { return r.at("locks", "gen-"+generation+".run") }

// Leases is the directory in which long-lived processes say who they are.
func (r Runtime) Leases() string { return r.at("leases") }

// Pins is the directory of the sessions that stay on a generation.
func (r Runtime) Pins() string { return r.at("pins") }

// Pin is the record of one session of a client.
func (r Runtime) Pin(adapterID, sessionID string) string {
	sum := sha256.Sum256([]byte(adapterID + "\x00" + sessionID))
	return r.at("pins", hex.EncodeToString(sum[:16])+".json")
}

// Staging is the directory of the holds on generations that no pointer names yet.
func (r Runtime) Staging() string { return r.at("staging") }

// Downloads is where releases are unpacked and verified: on the file system of the generations.
func (r Runtime) Downloads() string { return r.at("downloads") }

// MaintenanceLock is held by who works on the maintenance job.
func (r Runtime) MaintenanceLock() string { return r.at("locks", "maintenance.lock") }

// Maintenance is the checkpoint of the maintenance job.
func (r Runtime) Maintenance() string { return r.at("maintenance.json") }

// Reclaim is the record of the last pass that removed generations.
func (r Runtime) Reclaim() string { return r.at("reclaim.json") }

// StoreUpgrade is the record of the last migration of stores.
func (r Runtime) StoreUpgrade() string { return r.at("store-upgrade.json") }

// Executable is what a program is called on this platform.
func Executable(program string) string {
	if runtime.GOOS == "windows" {
		return program + ".exe"
	}
	return program
}

// Programs are the launch paths.
var Programs = []string{"acc", "acc-hook", "acc-mcp", "acc-antigravity-relay", "acc-indicator"}

// hashDigits is how many hexadecimal digits of the content hash name a generation.
const hashDigits = 24

// GenerationName gives the name of a generation.
func GenerationName(version, hash string) string { return version + "-" + hash }

// SplitGeneration takes a generation's name apart. ok is false for what can be none: such a name never
// becomes part of a path.
func SplitGeneration(name string) (version, hash string, ok bool) {
	cut := len(name) - hashDigits - 1
	if cut < 1 || cut > 32 || name[cut] != '-' {
		return "", "", false
	}
	version, hash = name[:cut], name[cut+1:]
	for i := range len(version) {
		if c := version[i]; (c < '0' || c > '9') && c != '.' || (c == '.') && (i == 0 || i == cut-1) {
			return "", "", false
		}
	}
	for i := range len(hash) {
		if c := hash[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", "", false
		}
	}
	return version, hash, true
}
