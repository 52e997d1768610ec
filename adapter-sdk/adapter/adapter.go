package adapter

import (
	"errors"
	"slices"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// ErrNotOurs says that a hook call belongs to another client that reads the same configuration. The
// runner then does nothing at all: no output, no diagnostic, no sign of life.
var ErrNotOurs = errors.New("the hook call is another client's")

// Call is one start of the hook executable by a client.
type Call struct {
	// Event is the event named on the command line, for clients whose payload does not say; empty
	// otherwise.
	Event string
	// Payload is everything the client wrote to standard input, at most MaxPayloadBytes.
	Payload []byte
	// Env looks an environment variable up; only those that the adapter declared are set.
	Env func(name string) string
}

// Client is what every vendor implements. It must be free of state and safe for concurrent use.
type Client interface {
	// Normalize says what a hook call means. It keeps nothing that a person, a model or a tool wrote.
	// It returns ErrNotOurs for a call of another client, and any other error for a call that it cannot
	// read: the client then goes on as if there were no hook. A BeforeTool event may stand beside such an
	// error: the tool is about to write files that cannot be told.
	Normalize(call Call) (Event, error)
}

// Output is what the hook executable leaves behind. The zero value says nothing.
type Output struct {
	Stdout   []byte
	Stderr   []byte // shown to a model only where the client's deny shape is made of it
	ExitCode int    // not 0 only where the client's deny shape is made of it
}

// Injector is implemented by a client that lets a hook add text to the model's context.
type Injector interface {
	Client
	// Injects says whether text given as the answer to e reaches the model.
	Injects(e Event) bool
	// Inject renders the answer. It is called only with text and where Injects said yes.
	Inject(e Event, text string) (Output, error)
}

// Denier is implemented by a client that lets a hook refuse a tool.
type Denier interface {
	Client
	// Deny renders the refusal of a BeforeTool event in the one shape that the client obeys. The reason
	// is one line and never empty: some clients run the tool when it is.
	Deny(e Event, reason string) (Output, error)
}

// ProcessRecogniser is implemented by a client whose process can be told from its name and arguments.
type ProcessRecogniser interface {
	Client
	// Recognise says what p, an ancestor of the hook, is to the conversation.
	Recognise(p Process) Recognition
}

// Recognition is what a process is to a conversation.
type Recognition int

// The recognitions.
const (
	NotClient     Recognition = iota // a shell, a wrapper, anything else: look further up
	ClientProcess                    // it lives as long as the conversation is open
	SharedProcess                    // it serves several conversations: its life says nothing, nor does what is above it
)

// Adapter is a sealed client. Its zero value is not usable; New makes one.
type Adapter struct {
	id          string
	displayName string
	client      Client

	env          []string
	pidVariable  string
	deadlines    map[EventKind]time.Duration
	contextLimit int
	wrapperTags  []string
	evidence     *evidence // nil: nothing is declared
	live         *Live
}

// Option is a fact about a client that New may be told.
type Option func(*Adapter)

// WithEnvironment names the environment variables that hooks of this client may read, acc's own
// ACC_PARTICIPANT and ACC_WORKSPACE_ROOT included. A client that runs the hooks of several
// conversations in one process with one environment must not declare those two.
func WithEnvironment(names ...string) Option {
	return func(a *Adapter) { a.env = append(a.env, names...) }
}

// WithPIDVariable names the variable in which the client tells its hooks its process id. It counts as
// declared. The number is believed only if that process is an ancestor of the hook.
func WithPIDVariable(name string) Option {
	return func(a *Adapter) { a.pidVariable = name; a.env = append(a.env, name) }
}

// WithDeadline bounds everything that acc does for one event, from the start of the process on.
func WithDeadline(kind EventKind, d time.Duration) Option {
	return func(a *Adapter) { a.deadlines[kind] = d }
}

// WithContextLimit says how many bytes of text the client takes from a hook without cutting it.
func WithContextLimit(bytes int) Option {
	return func(a *Adapter) { a.contextLimit = bytes }
}

// WithWrapperTags names the tags in which the client wraps its own words to the model. They are made
// harmless wherever peer text contains them.
func WithWrapperTags(names ...string) Option {
	return func(a *Adapter) { a.wrapperTags = append(a.wrapperTags, names...) }
}

// Deadlines that hold unless an adapter has facts of its own: clients cut a session's end short, and
// wait for a guard before every tool.
const (
	DefaultDeadline    = 1500 * time.Millisecond
	SessionEndDeadline = 600 * time.Millisecond
	GuardDeadline      = time.Second
	maxDeadline        = 10 * time.Second
)

// New seals a client. id is the portable id that the installed command line carries; displayName is
// for people. It refuses what no client can mean: those are mistakes of the adapter's author.
func New(id, displayName string, client Client, options ...Option) (*Adapter, error) {
	a := &Adapter{
		id: id, displayName: displayName, client: client, contextLimit: protocol.MaximumHookBudget,
		deadlines: map[EventKind]time.Duration{SessionEnd: SessionEndDeadline, BeforeTool: GuardDeadline},
	}
	for _, o := range options {
		o(a)
	}
	switch {
	case !portable(id):
		return nil, protocol.UsageError("", "an adapter's id is letters, digits, dots, hyphens and underscores, at most 40")
	case displayName == "" || !plain(displayName):
		return nil, protocol.UsageError("", "adapter "+id+" has no display name")
	case client == nil:
		return nil, protocol.UsageError("", "adapter "+id+" has no client")
	case a.contextLimit < minContext || a.contextLimit > protocol.MaximumHookBudget:
		return nil, protocol.UsageError("", "adapter "+id+" has a context limit that no client has")
	}
	for kind, d := range a.deadlines {
		if !knownKind(kind) || d <= 0 || d > maxDeadline {
			return nil, protocol.UsageError("", "adapter "+id+" has an impossible deadline for "+string(kind))
		}
	}
	return a, nil
}

// minContext is room for one header and one recovery line.
const minContext = 1024

// MaxIDBytes is how long an adapter's id may be: it begins participant ids.
const MaxIDBytes = 40

func portable(id string) bool {
	if id == "" || len(id) > MaxIDBytes {
		return false
	}
	for i := range len(id) {
		c := id[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return id[len(id)-1] != '.'
}

// ID is the adapter's id, which is also the harness of its sessions.
func (a *Adapter) ID() string { return a.id }

// DisplayName is the client's name for people.
func (a *Adapter) DisplayName() string { return a.displayName }

// Deadline is the time that acc may take for one event.
func (a *Adapter) Deadline(kind EventKind) time.Duration {
	if d, ok := a.deadlines[kind]; ok {
		return d
	}
	return DefaultDeadline
}

// LongestDeadline bounds a call whose event is not known yet.
func (a *Adapter) LongestDeadline() time.Duration {
	longest := DefaultDeadline
	for _, d := range a.deadlines {
		longest = max(longest, d)
	}
	return longest
}

// ContextLimit is how many bytes of text the client takes from a hook without cutting it.
func (a *Adapter) ContextLimit() int { return a.contextLimit }

// WrapperTags are the tags in which the client wraps its own words to the model.
func (a *Adapter) WrapperTags() []string { return slices.Clone(a.wrapperTags) }

// Environment narrows an environment to what hooks of this client may read.
func (a *Adapter) Environment(lookup func(string) string) func(string) string {
	return func(name string) string {
		if !slices.Contains(a.env, name) {
			return ""
		}
		return lookup(name)
	}
}

// Normalize asks the client what a call means and settles its answer. call.Env may be the whole
// environment; it is narrowed here. Beside an error stands the zero Event, or, if a tool that writes is
// about to run and only its files cannot be told, the BeforeTool event without them: the write goes
// unchecked, and whose it was is known.
func (a *Adapter) Normalize(call Call) (Event, error) {
	if call.Env == nil {
		call.Env = func(string) string { return "" }
	}
	call.Env = a.Environment(call.Env)
	e, err := a.client.Normalize(call)
	if err == nil {
		var settled Event
		if settled, err = settle(e); err == nil {
			return settled, nil
		}
	}
	if e.Kind != BeforeTool || errors.Is(err, ErrNotOurs) {
		return Event{}, err
	}
	e.Targets = nil
	if e, unusable := settle(e); unusable == nil {
		return e, err
	}
	return Event{}, err
}

// Injects says whether text given as the answer to e reaches the model.
func (a *Adapter) Injects(e Event) bool {
	i, ok := a.client.(Injector)
	return ok && i.Injects(e)
}

// Inject renders text as the answer to e. Without text, or where nothing reaches the model, it is the
// zero Output.
func (a *Adapter) Inject(e Event, text string) (Output, error) {
	i, ok := a.client.(Injector)
	if text == "" || !ok || !i.Injects(e) {
		return Output{}, nil
	}
	return i.Inject(e, text)
}

// Denies says whether the client can be told to refuse a tool.
func (a *Adapter) Denies() bool {
	_, ok := a.client.(Denier)
	return ok
}

// Deny renders a refusal. It is an error when the client cannot refuse or when the shape would not
// refuse: the caller must then not believe that the tool was stopped.
func (a *Adapter) Deny(e Event, reason string) (Output, error) {
	d, ok := a.client.(Denier)
	if !ok || e.Kind != BeforeTool {
		return Output{}, protocol.UsageError("", a.displayName+" cannot refuse a tool here")
	}
	if reason == "" || !plain(reason) {
		return Output{}, protocol.UsageError("", "a refusal needs a reason of one line")
	}
	out, err := d.Deny(e, reason)
	if err == nil && len(out.Stdout) == 0 && out.ExitCode == 0 {
		err = protocol.DataError("", "adapter "+a.id+" rendered a refusal that refuses nothing")
	}
	return out, err
}
