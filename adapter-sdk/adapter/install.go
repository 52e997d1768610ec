package adapter

import (
	"context"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// Installer wires acc into one client's configuration and takes it out again. It is the companion of a
// hook adapter of the same id, lives in a package of its own (hooks must not link it), and is made by
// installkit.New. It is free of state and safe for concurrent use; whoever applies plans holds one lock
// per data home, because all installers share one record.
//
// Nothing is written by any method. Plan and PlanRemoval tell what would be done; only Plan.Apply does
// it. The context bounds the client's own commands that Machine.Run starts.
type Installer interface {
	// ID is the adapter's id.
	ID() string
	// DisplayName is the client's name for people.
	DisplayName() string
	// Detect looks for the client. Not finding it is no error.
	Detect(ctx context.Context, m Machine) (Detection, error)
	// Plan tells what installing would change, or bringing an installation up to date. A plan without
	// changes says that everything is as it should be. It is an error with Code Data when a file cannot
	// be edited safely and with Code Conflict when another data home wired this client; nothing was
	// changed then.
	Plan(ctx context.Context, m Machine) (*Plan, error)
	// PlanRemoval tells what uninstalling would change. It concerns only what this data home installed.
	PlanRemoval(ctx context.Context, m Machine, o RemovalOptions) (*Plan, error)
	// Doctor reads back what is wired.
	Doctor(ctx context.Context, m Machine) (Diagnosis, error)
}

// Machine is what an installer may know of the computer. All paths are absolute.
type Machine struct {
	GOOS    string                   // as runtime.GOOS
	Home    string                   // the user's home directory
	Data    string                   // the directory of acc in the data home: <data home>/acc
	Bin     string                   // where the command texts point: <Data>/runtime/bin
	Version string                   // of the acc that is being installed
	Now     func() time.Time         // for records that carry a time
	Env     func(name string) string // environment variables that move a client's configuration
	// LookPath finds a command on PATH; "" says that there is none. It may be nil.
	LookPath func(name string) string
	// Run starts a client's own command, waits for it as long as ctx allows, and gives what it wrote to
	// standard output; an exit code other than 0 is an error. It may be nil: then nothing is started and
	// what only the client could tell is unknown.
	Run func(ctx context.Context, c ClientCommand) ([]byte, error)
	// Indicator says what becomes of the client's status line. Nothing is written there unless somebody asks.
	Indicator IndicatorChoice
}

// IndicatorChoice is what somebody wants in the status line of a client.
type IndicatorChoice string

// The choices.
const (
	KeepIndicator IndicatorChoice = ""    // what stands there, acc-indicator or not
	ShowIndicator IndicatorChoice = "on"  // acc-indicator, unless something else stands there already
	HideIndicator IndicatorChoice = "off" // not acc-indicator
)

// IndicatorState is what a client's status line shows.
type IndicatorState string

// The states of a status line.
const (
	NoIndicator    IndicatorState = ""      // unknown, or the client has no status line that a program can write
	IndicatorOn    IndicatorState = "on"    // acc-indicator
	IndicatorOff   IndicatorState = "off"   // nothing
	IndicatorOther IndicatorState = "other" // what somebody else put there, which acc leaves
)

// ClientCommand is a start of a client's own command.
type ClientCommand struct {
	Path string // as Detection.Command
	Args []string
	Env  []string // NAME=VALUE, in addition to the environment of acc
	// Input is what the command reads from standard input, which then ends. With Until it stays open
	// until standard output has a line that contains that text: for servers that end with their input.
	Input []byte
	Until string
	// Stderr asks for what the command writes to standard error too, behind standard output: one client
	// prints its lists there.
	Stderr bool
}

// Detection is what was found of a client.
type Detection struct {
	Present bool   // the client, or a configuration of it, is here
	Command string // where its command was found; "": not on PATH
	Root    string // the directory of its configuration, whether or not it exists
	Version string // "": unknown
	Reason  string // why it counts as absent or why the version is unknown, for people
}

// Plan is a list of changes that can be applied once, together or not at all.
type Plan struct {
	Adapter string
	Root    string       // of the configuration that it concerns
	Changes []FileChange // in the order in which they are made; empty: nothing to do
	Kept    []KeptFile   // what stays although it is ours, and why
	Steps   []string     // what the person must still do in the client, one sentence each
	Notes   []string     // facts worth telling, one sentence each
	// Indicator is the status line as it will be.
	Indicator IndicatorState
	// Apply makes the changes. When one fails, those before it are taken back, and the error tells which.
	// A file that changed since the plan was made is a Conflict.
	Apply func(ctx context.Context) error
}

// FileAction is what happens to a file.
type FileAction string

// The file actions.
const (
	CreateFile  FileAction = "create"  // a file of ours that was not there, or one of the user's that we begin
	ReplaceFile FileAction = "replace" // a file of ours gets another content
	EditFile    FileAction = "edit"    // values in a file of the user
	RemoveFile  FileAction = "remove"
)

// FileChange is a change of one file.
type FileChange struct {
	Path    string
	Action  FileAction
	Details []string // of an edit: what is added or taken out, one line each
}

// KeptFile is a file of ours that removal leaves.
type KeptFile struct{ Path, Reason string }

// RemovalOptions are the choices of who uninstalls.
type RemovalOptions struct {
	// Changed also removes what somebody changed after acc wrote it.
	Changed bool
}

// Wiring says whether a client calls acc at one of its events.
type Wiring struct {
	Event string // the client's name
	State WiringState
	Note  string // why not, or what to do; one sentence
}

// WiringState is how far a hook is known to be wired.
type WiringState string

// The wiring states. Only a client's own word makes a hook listed; a hook that fired is better evidence,
// which the hook runner keeps.
const (
	Listed    WiringState = "listed"    // the client itself names the hook as one that it will run
	Refused   WiringState = "refused"   // the client names it as one that it will not run: not trusted, disabled
	Written   WiringState = "written"   // it stands in the configuration; the client was not asked or cannot tell
	Unwritten WiringState = "unwritten" // it does not stand in the configuration
)

// Diagnosis is what Doctor found.
type Diagnosis struct {
	Detection
	Installed  bool     // this data home recorded an installation here
	Unfinished bool     // an installation was interrupted; installing again finishes it
	Wired      string   // version of acc that wrote what is wired; "": unknown or nothing
	HookText   string   // the command text that the hooks carry
	Intact     []string // paths of files that are as acc wrote them, or whose values are
	Modified   []string // paths where somebody changed what acc wrote
	Missing    []string // paths where what acc wrote is gone
	Hooks      []Wiring
	Indicator  IndicatorState
	Problems   []Problem
	Steps      []string // what the person must still do in the client
}

// Problem is something that keeps the installation from working.
type Problem struct {
	Text   string // one sentence
	Remedy string // the one next command or step; may be empty
}

// NotInstalled is the error of asking for the removal of what was never installed.
func NotInstalled(displayName string) error {
	return protocol.DataError(protocol.ReasonNotFound, "this data home installed nothing into "+displayName)
}
