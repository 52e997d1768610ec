package command

import "github.com/acc-control-plane/acc/cli/internal/argv"

// Catalogue lists every command in the order of the help.
func Catalogue() []*Definition {
	return []*Definition{
		installCommand(), uninstallCommand(), doctorCommand(), pruneCommand(), importCommand(), supportCommand(), deliveryCommand(), configCommand(), completionCommand(),
		statusCommand(), syncCommand(), workCommand(), claimCommand(), releaseCommand(), messageCommand(), requestCommand(), askCommand(), inboxCommand(), replyCommand(), ackCommand(), receiptsCommand(), threadCommand(),
		finishCommand(), whoamiCommand(),
		searchCommand(), logCommand(), watchCommand(), exportCommand(),
		attachCommand(), heartbeatCommand(), detachCommand(),
		demoCommand(), helpCommand(), manCommand(), versionCommand(), updateCommand(),
	}
}

// Tables gives the argv tables of the catalogue: the source of parsing, help, completion and
// docs/cli.md.
func Tables() []*argv.Command { return commands(Catalogue()) }

// ownerOptions are the options by which a caller says who it is.
func ownerOptions() []argv.Option {
	return []argv.Option{
		{Name: "session", Value: "ID", Usage: "who speaks, from the hook header or acc attach"},
		{Name: "generation", Value: "KEY", Usage: "the key of that session"},
	}
}

// withOwner appends the owner options to a command's own.
func withOwner(options ...argv.Option) []argv.Option { return append(options, ownerOptions()...) }

// withHeader appends the owner options to those of a command that serves everybody, so that a model may append the
// line of its hook header to whatever it calls.
func withHeader(options ...argv.Option) []argv.Option {
	return append(options,
		argv.Option{Name: "session", Value: "ID", Usage: "not needed: taken so that a whole hook header may follow"},
		argv.Option{Name: "generation", Value: "KEY", Usage: "likewise"})
}
