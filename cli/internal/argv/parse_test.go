package argv_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/google/go-cmp/cmp"
)

var commands = []*argv.Command{
	{Name: "message", Options: []argv.Option{
		{Name: "to", Value: "NAME", Repeated: true},
		{Name: "subject", Value: "TEXT", Required: true},
		{Name: "body", Value: "TEXT"},
		{Name: "type", Value: "KIND", Choices: []string{"note", "question"}},
		{Name: "scope", Value: "LIST", Choices: []string{"a", "b"}, Comma: true},
		{Name: "clear"},
	}},
	{Name: "receipts", Arguments: []argv.Argument{{Name: "ID", Required: true}}},
	{Name: "search", Arguments: []argv.Argument{{Name: "TEXT", Required: true, Repeated: true}}},
	{Name: "config", Subcommands: []*argv.Command{{Name: "init", Options: []argv.Option{{Name: "yes"}}}, {Name: "validate"}}},
	{Name: "status"},
	{Name: "completion", Arguments: []argv.Argument{{Name: "SHELL", Required: true, Choices: []string{"bash", "fish"}}}},
}

func TestParseCanonicalForm(t *testing.T) {
	for name, test := range map[string]struct {
		in   []string
		want []string
	}{
		"values in both spellings":             {words("message --subject S --body=B"), words("message --subject=S --body=B")},
		"globals before the command":           {words("--json --cwd /x --workspace=acc://1 status"), words("--json --cwd=/x --workspace=acc://1 status")},
		"globals behind the command":           {words("status --workspace w --json --cwd=/x"), words("--workspace=w --json --cwd=/x status")},
		"globals between options":              {words("message --subject S --cwd /x --body B"), words("--cwd=/x message --subject=S --body=B")},
		"a value with two dashes":              {[]string{"message", "--subject", "--important", "--body", "--- a/file"}, []string{"message", "--subject=--important", "--body=--- a/file"}},
		"a value that is only dashes":          {words("message --subject -- --body -"), words("message --subject=-- --body=-")},
		"a value with an equals sign":          {words("message --subject=a=b --body --x=y"), words("message --subject=a=b --body=--x=y")},
		"a known option is a value with equal": {words("message --subject=--json"), words("message --subject=--json")},
		"repeated options keep their order":    {words("message --to b --subject S --to a --to b"), words("message --to=b --subject=S --to=a --to=b")},
		"a value with commas stays one value":  {words("message --to a,b --subject S"), words("message --to=a,b --subject=S")},
		"a flag":                               {words("message --clear --subject S"), words("message --clear --subject=S")},
		"an argument":                          {words("receipts message_1"), words("receipts -- message_1")},
		"arguments behind two dashes":          {words("search a -- --json -h"), words("search -- a --json -h")},
		"a lone dash is an argument":           {words("receipts -"), words("receipts -- -")},
		"a subcommand":                         {words("config --json init --yes"), words("--json config init --yes")},
		"a choice":                             {words("message --subject S --type question --scope b,a"), words("message --subject=S --type=question --scope=b,a")},
	} {
		t.Run(name, func(t *testing.T) {
			call, err := argv.Parse(commands, test.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, call.Args()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			again, err := argv.Parse(commands, call.Args())
			if err != nil {
				t.Fatalf("the canonical form is refused: %v", err)
			}
			if diff := cmp.Diff(call.Args(), again.Args()); diff != "" {
				t.Errorf("the canonical form changes when it is parsed again:\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		in      []string
		message string
		hint    string
	}{
		"unknown command":               {words("statsu"), `unknown command "statsu"`, "did you mean status?"},
		"unknown command, nothing near": {words("frobnicate"), `unknown command "frobnicate"`, "acc help lists the commands"},
		"unknown subcommand":            {words("config inti"), `unknown command "config inti"`, "did you mean init?"},
		"missing subcommand":            {words("config"), "acc config needs one of: init, validate", "acc config --help"},
		"unknown option":                {words("message --subjct S"), "unknown option --subjct of acc message", "did you mean --subject?"},
		"unknown option with a value":   {words("message --zzz=1"), "unknown option --zzz of acc message", "acc message --help lists its options"},
		"short option":                  {words("message -s S"), "unknown option -s of acc message", "acc message --help lists its options"},
		"option before its command":     {words("--subject S message"), "unknown option --subject before a command", "options of a command follow its name"},
		"single option twice":           {words("message --subject a --subject b"), "--subject may be given only once", ""},
		"global twice, apart":           {words("--cwd a status --cwd b"), "--cwd may be given only once", ""},
		"empty value":                   {[]string{"message", "--subject", ""}, "--subject needs a value that is not empty", ""},
		"empty inline value":            {words("message --subject="), "--subject needs a value that is not empty", ""},
		"no value at the end":           {words("message --subject"), "--subject needs a value", "--subject=TEXT also takes a value that looks like an option"},
		"an option instead of a value":  {words("message --subject --body B"), "--subject needs a value", "--subject=TEXT also takes a value that looks like an option"},
		"a global instead of a value":   {words("message --subject --json"), "--subject needs a value", "--subject=TEXT also takes a value that looks like an option"},
		"an inline option for a value":  {words("message --subject --body=B"), "--subject needs a value", "--subject=TEXT also takes a value that looks like an option"},
		"flag with a value":             {words("message --clear=true --subject S"), "--clear takes no value", ""},
		"global flag with a value":      {words("status --json=1"), "--json takes no value", ""},
		"required option":               {words("message --body B"), "acc message needs --subject TEXT", "acc message --help"},
		"required argument":             {words("receipts"), "acc receipts needs ID", "acc receipts --help"},
		"empty argument":                {[]string{"receipts", ""}, "acc receipts needs ID that is not empty", ""},
		"one argument too many":         {words("receipts a b"), `acc receipts takes no argument "b"`, "acc receipts --help"},
		"argument where none is taken":  {words("status now"), `acc status takes no argument "now"`, "acc status --help"},
		"not a choice":                  {words("message --subject S --type qestion"), `--type cannot be "qestion"`, "did you mean question?"},
		"not a choice of argument":      {words("completion bahs"), `SHELL cannot be "bahs"`, "did you mean bash?"},
		"not a choice in a list":        {words("message --subject S --scope a,zzzzz"), `--scope cannot be "zzzzz"`, "one of: a, b"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := argv.Parse(commands, test.in)
			var e *protocol.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an error", err)
			}
			if e.Code != protocol.Usage || e.Reason != argv.ReasonInvalidArguments || e.Message != test.message || e.Hint != test.hint {
				t.Errorf("got %d %s %q hint %q, want message %q hint %q", e.Code, e.Reason, e.Message, e.Hint, test.message, test.hint)
			}
		})
	}
}

func TestParseHelpNeedsNothingElse(t *testing.T) {
	for _, in := range []string{"message --help", "message -h", "--help message", "message --type nonsense --help", "config -h", "--help"} {
		call, err := argv.Parse(commands, words(in))
		if err != nil || !call.Help {
			t.Errorf("%s: help %v, error %v", in, call.Help, err)
		}
	}
}

func TestParseVersionInPlaceOfACommand(t *testing.T) {
	for _, in := range []string{"-v", "-V", "--version", "--json --version"} {
		call, err := argv.Parse(commands, words(in))
		if err != nil || !call.Version {
			t.Errorf("%s: version %v, error %v", in, call.Version, err)
		}
	}
	if _, err := argv.Parse(commands, words("status --version")); err == nil {
		t.Error("status --version was accepted")
	}
}

func TestParseTellsJSONBesideAnError(t *testing.T) {
	for _, in := range []string{"--json statsu", "statsu --json", "message --zzz --json", "status --json extra"} {
		call, err := argv.Parse(commands, words(in))
		if err == nil || !call.JSON {
			t.Errorf("%s: json %v, error %v", in, call.JSON, err)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"status", "sync", "message", "request", "receipts", "reply", "release"}
	for word, want := range map[string]string{
		"stauts": "status", "mesage": "message", "MESSAGE": "message", "snyc": "sync", "rec": "receipts", "statuses": "status",
		"re": "", "frobnicate": "", "x": "", "": "",
	} {
		if got := argv.Suggest(word, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", word, got, want)
		}
	}
}

// FuzzParse holds the promise that what was accepted means the same when it is parsed again, and that
// no value is lost, added or split.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"message\n--subject\n--- a/file\n--to=x\n--to\ny", "--json\nstatus", "search\n--\n--json", "config\ninit\n--yes", "receipts\n-",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := strings.Split(text, "\n")
		call, err := argv.Parse(commands, in)
		if err != nil {
			var e *protocol.Error
			if !errors.As(err, &e) || e.Code != protocol.Usage {
				t.Fatalf("%q: not a usage error: %v", in, err)
			}
			return
		}
		if call.Help || call.Version || call.Command == nil {
			return
		}
		again, err := argv.Parse(commands, call.Args())
		if err != nil {
			t.Fatalf("%q became %q, which is refused: %v", in, call.Args(), err)
		}
		if !slices.Equal(call.Args(), again.Args()) {
			t.Fatalf("%q became %q, then %q", in, call.Args(), again.Args())
		}
	})
}

func words(line string) []string { return strings.Fields(line) }
