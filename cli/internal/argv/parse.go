package argv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// ReasonInvalidArguments is the reason of every error of this package.
const ReasonInvalidArguments = protocol.ReasonInvalidArguments

// Call is a command line that was understood.
type Call struct {
	Path    []string // names of the command and its subcommand; empty: none was named
	Command *Command // the last of Path; nil when Path is empty
	Help    bool     // --help or -h stood somewhere
	Version bool     // -v, -V or --version stood in the place of a command
	JSON    bool     // also set beside an error, as far as it could be told

	given     []given
	arguments []string
}

// given is an option as it was written.
type given struct {
	Option
	value string
}

// Args renders the call for a plain flag parser: global options, the command, its options as
// --name=value, and the arguments behind "--".
func (c Call) Args() []string {
	var globals, own []string
	for _, g := range c.given {
		text := "--" + g.Name
		if !g.IsFlag() {
			text += "=" + g.value
		}
		if slices.ContainsFunc(Globals, func(o Option) bool { return o.Name == g.Name }) {
			globals = append(globals, text)
			continue
		}
		own = append(own, text)
	}
	args := slices.Concat(globals, c.Path, own)
	if len(c.arguments) > 0 {
		args = append(append(args, "--"), c.arguments...)
	}
	return args
}

// Parse reads a command line (without the name of the program). Every error has protocol.Usage and
// names the word it is about. A call that asks for help is not checked further.
func Parse(commands []*Command, args []string) (Call, error) {
	p := parser{commands: commands, rest: args}
	err := p.run()
	if err != nil {
		// Whoever asked for JSON gets the error as JSON, wherever the option stands.
		p.call.JSON = p.call.JSON || slices.Contains(p.rest, "--json")
		return p.call, err
	}
	if p.call.Help || p.call.Version || p.call.Command == nil {
		return p.call, nil
	}
	return p.call, p.call.check()
}

type parser struct {
	commands []*Command
	rest     []string
	call     Call
	literal  bool // behind "--": everything is an argument
}

func (p *parser) run() error {
	for len(p.rest) > 0 {
		word := p.rest[0]
		p.rest = p.rest[1:]
		if err := p.word(word); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) word(word string) error {
	switch {
	case p.literal:
		return p.argument(word)
	case word == "--":
		p.literal = true
		return nil
	case word == "--help" || word == "-h":
		p.call.Help = true
		return nil
	case p.call.Command == nil && (word == "-v" || word == "-V" || word == "--version"):
		p.call.Version = true
		return nil
	case strings.HasPrefix(word, "--"):
		return p.option(word[2:])
	case strings.HasPrefix(word, "-") && word != "-":
		return p.unknownOption(word)
	case p.expectsCommand():
		return p.command(word)
	}
	return p.argument(word)
}

// expectsCommand says whether the next plain word names a command or subcommand.
func (p *parser) expectsCommand() bool {
	return p.call.Command == nil || len(p.call.Command.Subcommands) > 0
}

func (p *parser) command(word string) error {
	known := p.commands
	if p.call.Command != nil {
		known = p.call.Command.Subcommands
	}
	found, ok := Find(known, word)
	if !ok {
		spoken := strings.Join(append(slices.Clone(p.call.Path), word), " ")
		return unknown(fmt.Sprintf("unknown command %q", spoken), Suggest(word, Names(known)), "acc help lists the commands")
	}
	p.call.Path = append(p.call.Path, word)
	p.call.Command = found
	return nil
}

func (p *parser) option(text string) error {
	name, value, inline := strings.Cut(text, "=")
	option, ok := p.call.Command.Option(name)
	if !ok {
		return p.unknownOption("--" + name)
	}
	if !option.Repeated && slices.ContainsFunc(p.call.given, func(g given) bool { return g.Name == name }) {
		return usage("--%s may be given only once", name)
	}
	switch {
	case option.IsFlag() && inline:
		return usage("--%s takes no value", name)
	case option.IsFlag():
		p.call.JSON = p.call.JSON || name == "json"
	case !inline:
		if len(p.rest) == 0 || p.namesOption(p.rest[0]) {
			return usage("--%s needs a value", name).WithHint(fmt.Sprintf("--%s=%s also takes a value that looks like an option", name, option.Value))
		}
		value, p.rest = p.rest[0], p.rest[1:]
	}
	if !option.IsFlag() && value == "" {
		return usage("--%s needs a value that is not empty", name)
	}
	p.call.given = append(p.call.given, given{option, value})
	return nil
}

// namesOption says whether word is an option of this command. Only such a word counts as a missing
// value; any other, however many dashes it begins with, is a value.
func (p *parser) namesOption(word string) bool {
	if word == "-h" || word == "--help" {
		return true
	}
	name, dashes := strings.CutPrefix(word, "--")
	if !dashes {
		return false
	}
	name, _, _ = strings.Cut(name, "=")
	_, known := p.call.Command.Option(name)
	return known
}

func (p *parser) unknownOption(word string) error {
	if p.call.Command == nil {
		return unknown(fmt.Sprintf("unknown option %s before a command", word), dashed(Suggest(strings.TrimLeft(word, "-"), (&Command{}).optionNames())),
			"options of a command follow its name")
	}
	spoken := strings.Join(p.call.Path, " ")
	return unknown(fmt.Sprintf("unknown option %s of acc %s", word, spoken),
		dashed(Suggest(strings.TrimLeft(word, "-"), p.call.Command.optionNames())), "acc "+spoken+" --help lists its options")
}

func (p *parser) argument(word string) error {
	if p.call.Command == nil {
		return p.command(word)
	}
	spoken := strings.Join(p.call.Path, " ")
	taken := p.call.Command.Arguments
	if len(p.call.arguments) >= len(taken) && (len(taken) == 0 || !taken[len(taken)-1].Repeated) {
		return usage("acc %s takes no argument %q", spoken, word).WithHint("acc " + spoken + " --help")
	}
	if word == "" {
		return usage("acc %s needs %s that is not empty", spoken, taken[min(len(p.call.arguments), len(taken)-1)].Name)
	}
	p.call.arguments = append(p.call.arguments, word)
	return nil
}

// check asks for what is required and refuses what is not among the choices.
func (c Call) check() error {
	spoken := "acc " + strings.Join(c.Path, " ")
	if len(c.Command.Subcommands) > 0 {
		return usage("%s needs one of: %s", spoken, strings.Join(Names(c.Command.Subcommands), ", ")).WithHint(spoken + " --help")
	}
	for _, g := range c.given {
		if err := g.check(); err != nil {
			return err
		}
	}
	for _, o := range c.Command.Options {
		if o.Required && !slices.ContainsFunc(c.given, func(g given) bool { return g.Name == o.Name }) {
			return usage("%s needs --%s %s", spoken, o.Name, o.Value).WithHint(spoken + " --help")
		}
	}
	for i, a := range c.Command.Arguments {
		if len(c.arguments) > i && len(a.Choices) > 0 && !slices.Contains(a.Choices, c.arguments[i]) {
			return unknown(fmt.Sprintf("%s cannot be %q", a.Name, c.arguments[i]), Suggest(c.arguments[i], a.Choices), "one of: "+strings.Join(a.Choices, ", "))
		}
		if a.Required && len(c.arguments) <= i {
			return usage("%s needs %s", spoken, a.Name).WithHint(spoken + " --help")
		}
	}
	return nil
}

func (g given) check() error {
	if len(g.Choices) == 0 {
		return nil
	}
	values := []string{g.value}
	if g.Comma {
		values = strings.Split(g.value, ",")
	}
	for _, v := range values {
		if !slices.Contains(g.Choices, v) {
			return unknown(fmt.Sprintf("--%s cannot be %q", g.Name, v), Suggest(v, g.Choices), "one of: "+strings.Join(g.Choices, ", "))
		}
	}
	return nil
}

func usage(format string, args ...any) *protocol.Error {
	return protocol.UsageError(ReasonInvalidArguments, fmt.Sprintf(format, args...))
}

// unknown is a usage error with a suggestion, or else with where to look.
func unknown(message, suggestion, otherwise string) *protocol.Error {
	e := protocol.UsageError(ReasonInvalidArguments, message)
	if suggestion != "" {
		return e.WithHint("did you mean "+suggestion+"?").With("suggestion", suggestion)
	}
	return e.WithHint(otherwise)
}

func dashed(word string) string {
	if word == "" {
		return ""
	}
	return "--" + word
}
