package view

import (
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// VersionData is the answer of version.
type VersionData struct {
	Version        string
	BuildID        string
	Commit         string
	GoVersion      string
	Platform       string
	SchemaVersion  int
	StoreVersion   int
	UpdateProtocol int
	Adapters       []string
}

// Version is the answer of version.
var Version = &Schema[VersionData]{name: "version", doc: "What this executable is.", data: func() strictjson.Type[VersionData] {
	return strictjson.Nested(&strictjson.Object[VersionData]{
		Name: "version",
		Members: func() []strictjson.Member[VersionData] {
			return []strictjson.Member[VersionData]{
				field("version", `of the release or the module; "0.0.0-devel" when built from a checkout`, func(v *VersionData) *string { return &v.Version }, word),
				nullable("buildId", "that all executables of a release share; null: built from source", func(v *VersionData) *string { return &v.BuildID }, word),
				nullable("commit", "it was built from, where the build recorded it", func(v *VersionData) *string { return &v.Commit }, word),
				field("go", "the compiler", func(v *VersionData) *string { return &v.GoVersion }, word),
				field("platform", "operating system and architecture", func(v *VersionData) *string { return &v.Platform }, word),
				field("schemaVersion", "of the records", func(v *VersionData) *int { return &v.SchemaVersion }, count),
				field("storeVersion", "of the stores it reads and writes", func(v *VersionData) *int { return &v.StoreVersion }, count),
				field("updateProtocol", "of the updater in it", func(v *VersionData) *int { return &v.UpdateProtocol }, count),
				field("adapters", "of the clients that it knows, sorted", func(v *VersionData) *[]string { return &v.Adapters }, words),
			}
		},
	})
}}

var optionObject = &strictjson.Object[argv.Option]{
	Name: "option", Doc: "A named option.",
	Members: func() []strictjson.Member[argv.Option] {
		return []strictjson.Member[argv.Option]{
			field("name", "without the dashes", func(o *argv.Option) *string { return &o.Name }, word),
			nullable("value", "placeholder of its value; null: a flag", func(o *argv.Option) *string { return &o.Value }, text),
			field("usage", "what it does", func(o *argv.Option) *string { return &o.Usage }, text),
			nullable("default", "when it is not given", func(o *argv.Option) *string { return &o.Default }, text),
			field("required", "whether it must be given", func(o *argv.Option) *bool { return &o.Required }, truth),
			field("repeated", "whether it may be given more than once", func(o *argv.Option) *bool { return &o.Repeated }, truth),
			field("choices", "the accepted values; none: any", func(o *argv.Option) *[]string { return &o.Choices }, words),
		}
	},
}

var argumentObject = &strictjson.Object[argv.Argument]{
	Name: "argument", Doc: "A positional argument.",
	Members: func() []strictjson.Member[argv.Argument] {
		return []strictjson.Member[argv.Argument]{
			field("name", "as in the help", func(a *argv.Argument) *string { return &a.Name }, word),
			field("usage", "what it is", func(a *argv.Argument) *string { return &a.Usage }, text),
			field("required", "whether it must be given", func(a *argv.Argument) *bool { return &a.Required }, truth),
			field("repeated", "whether it may be given more than once", func(a *argv.Argument) *bool { return &a.Repeated }, truth),
			field("choices", "the accepted values; none: any", func(a *argv.Argument) *[]string { return &a.Choices }, words),
		}
	},
}

// HelpLine names one command.
type HelpLine struct {
	Name, Summary string
	Common        bool // most people need it; not part of the JSON
}

var helpLineObject = &strictjson.Object[HelpLine]{
	Name: "helpLine", Doc: "One command.",
	Members: func() []strictjson.Member[HelpLine] {
		return []strictjson.Member[HelpLine]{
			field("name", "of the command", func(h *HelpLine) *string { return &h.Name }, text),
			field("summary", "what it does", func(h *HelpLine) *string { return &h.Summary }, text),
		}
	},
}

// HelpGroup is a heading with its commands.
type HelpGroup struct {
	Title    string
	Commands []HelpLine
}

// HelpData is the answer of help without a command.
type HelpData struct {
	Groups  []HelpGroup
	Globals []argv.Option
}

// Help is the answer of help without a command.
var Help = &Schema[HelpData]{name: "help", doc: "Every command.", data: func() strictjson.Type[HelpData] {
	return strictjson.Nested(&strictjson.Object[HelpData]{
		Name: "help",
		Members: func() []strictjson.Member[HelpData] {
			return []strictjson.Member[HelpData]{
				field("groups", "in the order of the help", func(h *HelpData) *[]HelpGroup { return &h.Groups }, list(&strictjson.Object[HelpGroup]{
					Name: "helpGroup", Doc: "A heading with its commands.",
					Members: func() []strictjson.Member[HelpGroup] {
						return []strictjson.Member[HelpGroup]{
							field("title", "the heading", func(g *HelpGroup) *string { return &g.Title }, text),
							field("commands", "below it", func(g *HelpGroup) *[]HelpLine { return &g.Commands }, list(helpLineObject)),
						}
					},
				})),
				field("globalOptions", "accepted by every command, before or after its name", func(h *HelpData) *[]argv.Option { return &h.Globals }, list(optionObject)),
			}
		},
	})
}}

// CommandHelpData is the answer of help for one command.
type CommandHelpData struct {
	Name        string
	Summary     string
	Arguments   []argv.Argument
	Options     []argv.Option
	Subcommands []HelpLine
	Notes       []string
}

// CommandHelp is the answer of help for one command.
var CommandHelp = &Schema[CommandHelpData]{name: "commandHelp", doc: "What one command accepts.", data: func() strictjson.Type[CommandHelpData] {
	return strictjson.Nested(&strictjson.Object[CommandHelpData]{
		Name: "commandHelp",
		Members: func() []strictjson.Member[CommandHelpData] {
			return []strictjson.Member[CommandHelpData]{
				field("name", "of the command, with its subcommand", func(h *CommandHelpData) *string { return &h.Name }, text),
				field("summary", "what it does", func(h *CommandHelpData) *string { return &h.Summary }, text),
				field("arguments", "in order", func(h *CommandHelpData) *[]argv.Argument { return &h.Arguments }, list(argumentObject)),
				field("options", "its own; the global ones are in the general help", func(h *CommandHelpData) *[]argv.Option { return &h.Options }, list(optionObject)),
				field("subcommands", "of which one must be named", func(h *CommandHelpData) *[]HelpLine { return &h.Subcommands }, list(helpLineObject)),
				field("notes", "what else to know", func(h *CommandHelpData) *[]string { return &h.Notes }, lines),
			}
		},
	})
}}

// TextData is the answer of a command whose answer is a text.
type TextData struct{ Text string }

// Text is the answer of completion and man.
var Text = &Schema[TextData]{name: "text", doc: "A text of acc's own.", data: func() strictjson.Type[TextData] {
	return strictjson.Nested(&strictjson.Object[TextData]{
		Name: "text",
		Members: func() []strictjson.Member[TextData] {
			return []strictjson.Member[TextData]{
				field("text", "as it is printed without --json", func(t *TextData) *string { return &t.Text }, text),
			}
		},
	})
}}
