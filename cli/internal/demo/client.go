package demo

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/go-json-experiment/json/jsontext"
)

// session plays one session of the client: it sends payloads to acc-hook and reads what the model
// behind it would read.
type session struct {
	*stage
	name     string // its participant
	nativeID string // the client's own session id
	cwd      string
	owner    []string // options for acc, from the header line
}

// answer is what acc-hook tells the client.
type answer struct {
	Context  string // added to the model's context
	Decision string // of a tool call; empty: go on
	Reason   string
}

type hookOutput struct{ specific answer }

// The client's shape, as far as the demo reads it.
var hookOutputObject = &strictjson.Object[hookOutput]{
	Name: "hook output", Open: true,
	Members: func() []strictjson.Member[hookOutput] {
		return []strictjson.Member[hookOutput]{
			strictjson.Field("hookSpecificOutput", "", func(h *hookOutput) *answer { return &h.specific }, strictjson.Nested(&strictjson.Object[answer]{
				Name: "hookSpecificOutput", Open: true,
				Members: func() []strictjson.Member[answer] {
					return []strictjson.Member[answer]{
						strictjson.Optional("additionalContext", "", func(a *answer) *string { return &a.Context }, strictjson.Text(1<<20)),
						strictjson.Optional("permissionDecision", "", func(a *answer) *string { return &a.Decision }, strictjson.Text(1<<10)),
						strictjson.Optional("permissionDecisionReason", "", func(a *answer) *string { return &a.Reason }, strictjson.Text(1<<20)),
					}
				},
			})),
		}
	},
}

// hook feeds one captured payload to acc-hook, with the session's own id and directory put in.
func (s *session) hook(ctx context.Context, capture string, more map[jsontext.Pointer]string) (outcome, answer, error) {
	replace := map[jsontext.Pointer]string{
		"/session_id": s.nativeID, "/cwd": s.cwd,
		"/transcript_path": filepath.Join(s.dir, "transcripts", s.nativeID+".jsonl"),
	}
	for at, value := range more {
		replace[at] = value
	}
	stdin, err := payload(capture, replace)
	if err != nil {
		return outcome{}, answer{}, err
	}
	o, err := s.run(ctx, s.cwd, []string{"ACC_PARTICIPANT=" + s.name}, stdin, s.stage.hook, "claude_code")
	if err != nil {
		return o, answer{}, err
	}
	if o.code != 0 {
		return o, answer{}, o.wrong("a hook must end with 0")
	}
	if len(o.err) > 0 {
		return o, answer{}, o.wrong("the hook complained")
	}
	if len(o.out) == 0 {
		return o, answer{}, nil
	}
	said, err := hookOutputObject.Decode(o.out)
	if err != nil {
		return o, answer{}, o.wrong("the client would not understand the hook: %v", err)
	}
	return o, said.specific, nil
}

// headerPrefix begins the line that tells a model what to append to its acc commands.
const headerPrefix = "ACC CLI (append): "

// adopt takes the owner options from the header line in a hook's context.
func (s *session) adopt(o outcome, context string) error {
	for line := range strings.Lines(context) {
		if words, found := strings.CutPrefix(strings.TrimRight(line, "\r\n"), headerPrefix); found {
			owner, ok := shellWords(words)
			if !ok {
				return o.wrong("the header line cannot be read")
			}
			s.owner = owner
			return nil
		}
	}
	return o.wrong("there is no header line for the model")
}

// acc runs an acc command as this session, with --json.
func (s *session) acc(ctx context.Context, args ...string) (outcome, error) {
	args = append(append(args, s.owner...), "--json")
	return s.run(ctx, s.cwd, nil, nil, s.stage.acc, args...)
}

// shellWords splits a line as a shell would: words, with single quotes, double quotes and backslashes.
func shellWords(line string) (words []string, ok bool) {
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == '\\' && filepath.Separator == '/':
			escaped, inWord = true, true
		case r == ' ':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0 && !escaped
}
