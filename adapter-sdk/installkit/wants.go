package installkit

import "github.com/acc-control-plane/acc/adapter-sdk/adapter"

// Wants is everything that acc needs in one client's configuration. The kit finds out what of it is
// there already, what has to change, and how to take it back.
type Wants struct {
	// Mark is text that only what this data home writes contains; the function Mark gives it. It tells
	// values that an earlier installation left from those of another data home.
	Mark  string
	Files []File     // acc's own
	Edits []UserFile // somebody else's
	// Dirs are directories below Machine.Data that must exist, for clients that ignore a missing one.
	Dirs []string
	// Markers are names of files and directories that the client itself puts beside acc's. They do not
	// count when acc's own directories are compared or removed.
	Markers []string
	Steps   []string // what the person must still do in the client after installing
	Notes   []string // facts worth telling before installing
}

// File is a file of acc's own.
type File struct {
	Path   string
	Data   []byte
	Events []string // client events that it wires, for Doctor
	// Copy says that another file wires the same events, and that this one counts only for clients that run it.
	Copy bool
}

// UserFile is a file that the user and the client write too.
type UserFile struct {
	Path   string
	Format Format
	NoMark bool // the client's reader refuses a byte order mark at the start of the file
	Edits  []Edit
}

// Format is how a file is read.
type Format string

// The formats.
const (
	JSON  Format = "json"
	JSONC Format = "jsonc" // with comments and trailing commas
	TOML  Format = "toml"
)

// Kind says what an edit puts into a file.
type Kind string

// The kinds of edits.
const (
	Member  Kind = "member"  // the value at Path
	Element Kind = "element" // one more element of the array at Path, behind all others
	Block   Kind = "block"   // lines at the end, between the two marker lines that Path holds
)

// Edit is one value in a UserFile. Edits of one file differ in Kind, Path or Name.
type Edit struct {
	Kind  Kind
	Path  []string
	Name  string // tells elements of one array apart; otherwise empty
	Value string // JSON or TOML in any layout; the lines of a block, each with "\n" at its end
	// Volatile are names of members, at any depth, that the client changes as it likes.
	Volatile []string
	// Sticky leaves a value that somebody changed since as it is, rather than set it again.
	Sticky bool
	// Default writes the value only where there is none, and leaves it to whoever changes it.
	Default bool
	// Indicator says that the value, a Member, makes the client show what acc-indicator prints; IndicatorCommand
	// gives the command. It is Default and Ours, is written only if Machine.Indicator asks, and then stays
	// until somebody takes it out.
	Indicator bool
	// Ours says that nobody but acc writes such a value: when it stands there without a record, an
	// earlier installation left it. Otherwise it counts as the user's and stays when acc goes.
	Ours   bool
	Events []string // client events that it wires, for Doctor
	Label  string   // what a plan calls it; one line
}

// label is what people read of an edit.
func (e Edit) label() string {
	if e.Label != "" {
		return e.Label
	}
	if e.Kind == Block {
		return "lines from " + e.Path[0]
	}
	name := ""
	for i, part := range e.Path {
		if i > 0 {
			name += "."
		}
		name += part
	}
	return name
}

// same says whether two edits are about the same value.
func (e Edit) same(other Edit) bool {
	if e.Kind != other.Kind || e.Name != other.Name || len(e.Path) != len(other.Path) {
		return false
	}
	for i := range e.Path {
		if e.Path[i] != other.Path[i] {
			return false
		}
	}
	return true
}

// Listing is what a client itself says of the hooks that it will run.
type Listing struct {
	Hooks    []adapter.Wiring // of events; what is not named keeps the state that the files have
	Problems []adapter.Problem
	Steps    []string
}
