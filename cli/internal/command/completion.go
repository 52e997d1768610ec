package command

import (
	"context"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/completion"
	"github.com/acc-control-plane/acc/cli/internal/manual"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	flags "github.com/urfave/cli/v2"
)

func completionCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "completion", Group: groupSetup,
			Summary:   "print the completion script of a shell",
			Arguments: []argv.Argument{{Name: "SHELL", Required: true, Usage: "bash, zsh or fish", Choices: completion.Shells()}},
			Notes: []string{
				"bash: acc completion bash > ~/.local/share/bash-completion/completions/acc",
				"zsh:  acc completion zsh > ~/.acc-completion, and source it from ~/.zshrc",
				"fish: acc completion fish > ~/.config/fish/completions/acc.fish",
			},
		},
		Run: func(_ context.Context, _ *Invocation, given *flags.Context) (Answer, error) {
			return printed(completion.Script(given.Args().First(), Tables())), nil
		},
	}
}

func manCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "man", Group: groupAbout,
			Summary: "print the manual page",
			Notes:   []string{"To read it: acc man | man -l -"},
		},
		Run: func(context.Context, *Invocation, *flags.Context) (Answer, error) {
			return printed(manual.Page(Tables())), nil
		},
	}
}

// printed is the answer of a command whose answer is a text of acc's own.
func printed(text string) Answer {
	return answer(view.Text, view.TextData{Text: text}, func(u *ui.UI) { u.Raw([]byte(text)) })
}
