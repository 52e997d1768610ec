package argv

import "slices"

// Command describes one command: what it is called, what it accepts and what it is for.
type Command struct {
	Name    string
	Group   string // heading in the help; empty for a subcommand
	Summary string // one line, without a full stop
	// Common commands are explained in the overview, which only names the others.
	Common bool
	// Arguments are positional; only the last may repeat.
	Arguments []Argument
	Options   []Option
	// Notes say what a person must know beyond the options, one sentence each.
	Notes       []string
	Subcommands []*Command
}

// Argument is a positional argument.
type Argument struct {
	Name     string // as shown in the help, in capitals
	Usage    string
	Required bool
	Repeated bool
	Choices  []string // the accepted values; empty accepts any
}

// Option is a named option.
type Option struct {
	Name string // without the dashes
	// Value is the placeholder of the value in the help; empty makes the option a flag, which takes none.
	Value    string
	Usage    string
	Default  string // shown in the help; the command applies it
	Required bool
	Repeated bool     // may be given more than once, and accumulates
	Choices  []string // the accepted values; empty accepts any
	// Comma says that one value may list several choices separated by commas.
	Comma bool
}

// IsFlag says whether the option takes no value.
func (o Option) IsFlag() bool { return o.Value == "" }

// Globals are the options that every command accepts, before or after its name.
var Globals = []Option{
	{Name: "json", Usage: "print one JSON object instead of text"},
	{Name: "cwd", Value: "DIR", Usage: "act as if started in DIR"},
	{Name: "workspace", Value: "ROOM", Usage: "a path of acc.workspace.json, or an acc:// reference from a hook header"},
}

// Option finds an option of the command, or a global one.
func (c *Command) Option(name string) (Option, bool) {
	if c != nil {
		if i := slices.IndexFunc(c.Options, func(o Option) bool { return o.Name == name }); i >= 0 {
			return c.Options[i], true
		}
	}
	if i := slices.IndexFunc(Globals, func(o Option) bool { return o.Name == name }); i >= 0 {
		return Globals[i], true
	}
	return Option{}, false
}

func (c *Command) optionNames() []string {
	var names []string
	for _, o := range c.Options {
		names = append(names, o.Name)
	}
	for _, o := range Globals {
		names = append(names, o.Name)
	}
	return append(names, "help")
}

// Find gives the command with that name.
func Find(commands []*Command, name string) (*Command, bool) {
	i := slices.IndexFunc(commands, func(c *Command) bool { return c.Name == name })
	if i < 0 {
		return nil, false
	}
	return commands[i], true
}

// Names lists the names of commands in their order.
func Names(commands []*Command) []string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name
	}
	return names
}
