// Package completion writes the completion script of a shell from the tables of the commands. The
// script is static: completing a word starts no process.
package completion

import (
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/argv"
)

// Shells lists the shells that Script knows.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Script gives the completion script of one of Shells.
func Script(shell string, tables []*argv.Command) string {
	switch shell {
	case "fish":
		return fish(tables)
	case "zsh":
		return "autoload -U +X bashcompinit && bashcompinit\n" + bash(tables)
	}
	return bash(tables)
}

// leaf is a command that runs, by its whole name.
type leaf struct {
	name    string
	command *argv.Command
}

func leaves(prefix string, tables []*argv.Command) []leaf {
	var all []leaf
	for _, c := range tables {
		name := strings.TrimSpace(prefix + " " + c.Name)
		all = append(all, leaf{name, c})
		all = append(all, leaves(name, c.Subcommands)...)
	}
	return all
}

func bash(tables []*argv.Command) string {
	var b strings.Builder
	b.WriteString("_acc() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i\n")
	b.WriteString("  for ((i = 1; i < COMP_CWORD; i++)); do\n    case ${COMP_WORDS[i]} in\n")
	b.WriteString("      --cwd | --workspace) ((i++)) ;;\n      -*) break ;;\n")
	b.WriteString("      *) command=\"${command:+$command }${COMP_WORDS[i]}\" ;;\n    esac\n  done\n")
	b.WriteString("  case $command/$before in\n")
	for _, l := range leaves("", tables) {
		for _, o := range l.command.Options {
			if len(o.Choices) > 0 {
				fmt.Fprintf(&b, "    '%s/--%s') COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", l.name, o.Name, strings.Join(o.Choices, " "))
			}
			if o.Value == "PATH" {
				fmt.Fprintf(&b, "    '%s/--%s') COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", l.name, o.Name)
			}
		}
	}
	b.WriteString("    */--cwd) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n    */--workspace) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n  esac\n")
	b.WriteString("  case $command in\n")
	fmt.Fprintf(&b, "    '' | help) COMPREPLY=($(compgen -W '%s %s' -- \"$word\")) ;;\n", strings.Join(argv.Names(tables), " "), strings.Join(options(nil), " "))
	for _, l := range leaves("", tables) {
		if l.name == "help" {
			continue
		}
		words := append(argv.Names(l.command.Subcommands), options(l.command.Options)...)
		fmt.Fprintf(&b, "    '%s') COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n", l.name, strings.Join(words, " "))
	}
	b.WriteString("  esac\n}\ncomplete -F _acc acc\n")
	return b.String()
}

// options gives the written names of a command's options, the global ones included.
func options(own []argv.Option) []string {
	var names []string
	for _, o := range own {
		names = append(names, "--"+o.Name)
	}
	for _, o := range argv.Globals {
		names = append(names, "--"+o.Name)
	}
	return append(names, "--help")
}

func fish(tables []*argv.Command) string {
	var b strings.Builder
	b.WriteString("complete -c acc -f\n")
	for _, o := range argv.Globals {
		fishOption(&b, "", o)
	}
	for _, c := range tables {
		fmt.Fprintf(&b, "complete -c acc -n __fish_use_subcommand -a %s -d %s\n", c.Name, quote(c.Summary))
		fmt.Fprintf(&b, "complete -c acc -n '__fish_seen_subcommand_from help' -a %s\n", c.Name)
		seen := fmt.Sprintf("-n '__fish_seen_subcommand_from %s' ", c.Name)
		for _, sub := range c.Subcommands {
			fmt.Fprintf(&b, "complete -c acc %s-a %s -d %s\n", seen, sub.Name, quote(sub.Summary))
			for _, o := range sub.Options {
				fishOption(&b, fmt.Sprintf("-n '__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from %s' ", c.Name, sub.Name), o)
			}
		}
		for _, o := range c.Options {
			fishOption(&b, seen, o)
		}
	}
	return b.String()
}

func fishOption(b *strings.Builder, seen string, o argv.Option) {
	value := ""
	switch {
	case len(o.Choices) > 0:
		value = " -x -a " + quote(strings.Join(o.Choices, " "))
	case o.Value == "PATH" || o.Value == "DIR":
		value = " -r -F"
	case !o.IsFlag():
		value = " -x"
	}
	fmt.Fprintf(b, "complete -c acc %s-l %s%s -d %s\n", seen, o.Name, value, quote(o.Usage))
}

func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
