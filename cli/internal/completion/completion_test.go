package completion_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/completion"
	"github.com/google/go-cmp/cmp"
)

var tables = []*argv.Command{
	{Name: "status", Summary: "it's \"quoted\"", Options: []argv.Option{{Name: "all", Usage: "x"}}},
	{Name: "message", Options: []argv.Option{{Name: "type", Value: "TYPE", Choices: []string{"note", "question"}, Usage: "x"}, {Name: "body-file", Value: "PATH", Usage: "x"}}},
	{Name: "config", Subcommands: []*argv.Command{{Name: "init", Options: []argv.Option{{Name: "yes", Usage: "x"}}}, {Name: "validate"}}},
	{Name: "help"},
}

// The script runs in the real shell, which is asked what it would offer.
func TestBashOffersWhatFits(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	for line, want := range map[string]string{
		"acc st":                  "status",
		"acc ":                    "status message config help --json --cwd --workspace --help",
		"acc status --a":          "--all",
		"acc --cwd /tmp status -": "--all --json --cwd --workspace --help",
		"acc message --type ":     "note question",
		"acc message --type q":    "question",
		"acc config ":             "init validate --json --cwd --workspace --help",
		"acc config init --y":     "--yes",
		"acc help me":             "message",
	} {
		words := strings.Split(line, " ")
		script := completion.Script("bash", tables) + `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _acc; echo "${COMPREPLY[*]}"`
		out, err := exec.CommandContext(t.Context(), bash, append([]string{"-c", script, "bash"}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", line, err, out)
		}
		if diff := cmp.Diff(want, strings.TrimSpace(string(out))); diff != "" {
			t.Errorf("%q: -want +got:\n%s", line, diff)
		}
	}
}

func TestFishNamesEveryOption(t *testing.T) {
	got := completion.Script("fish", tables)
	for _, want := range []string{
		`-a status -d 'it\'s "quoted"'`, `-n '__fish_seen_subcommand_from message' -l type -x -a 'note question'`,
		`-l body-file -r -F`, `'__fish_seen_subcommand_from config; and __fish_seen_subcommand_from init' -l yes -d`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in:\n%s", want, got)
		}
	}
}
