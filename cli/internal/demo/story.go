package demo

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/go-json-experiment/json/jsontext"
)

// Options say how to play.
type Options struct {
	Keep bool
	// Step is told of each step as it ends; Note of what is done between steps.
	Step func(view.DemoStep)
	Note func(string)
}

// Play plays the demo. Whatever happens, the room is removed unless Keep is set.
func Play(ctx context.Context, opts Options) (data view.DemoData, err error) {
	s, err := prepare(ctx, opts.Note)
	if s != nil && !opts.Keep {
		defer os.RemoveAll(s.dir)
	}
	if err != nil {
		return data, err
	}
	t := &tale{
		stage: s, tell: opts.Step,
		ada:   &session{stage: s, name: "ada", nativeID: "a11ce000-0000-4000-8000-000000000001", cwd: s.project},
		grace: &session{stage: s, name: "grace", nativeID: "b0b00000-0000-4000-8000-000000000002", cwd: s.tests},
	}
	if err := t.all(ctx); err != nil {
		return t.data, err
	}
	if opts.Keep {
		t.data.Kept = s.dir
	}
	return t.data, nil
}

// tale is the demo while it is played.
type tale struct {
	*stage
	ada, grace       *session
	question, answer string // message ids
	asked            []string
	tell             func(view.DemoStep)
	data             view.DemoData
}

const (
	questionText = "Physics or renderer? I need it before I touch settle()."
	answerText   = "Physics. The renderer only reads the clamped value."
)

func (t *tale) all(ctx context.Context) error {
	for _, part := range []func(context.Context) error{
		t.open, t.claim, t.ask, t.edits, t.questionArrives, t.reply, t.answerArrives, t.end,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// open starts both sessions, each in its own worktree.
func (t *tale) open(ctx context.Context) error {
	for _, s := range []*session{t.ada, t.grace} {
		o, said, err := s.hook(ctx, "SessionStart.startup.json", nil)
		if err != nil {
			return err
		}
		if err := s.adopt(o, said.Context); err != nil {
			return err
		}
		t.step(s.name, o, "opens a session in "+filepath.Base(s.cwd), "acc-hook hands its model the owner pair")
	}
	return nil
}

// claim reserves the file for the first session.
func (t *tale) claim(ctx context.Context) error {
	o, err := t.ada.acc(ctx, "claim", "--resource", claimed, "--enforcement", "guarded", "--reason", "porting the clamp")
	if err != nil {
		return err
	}
	result, err := decode(o, view.Claimed)
	if err != nil {
		return err
	}
	if result.Claim.Resource != "file:"+claimed || result.Claim.Enforcement != protocol.Guarded {
		return o.wrong("the claim is not the one that was asked for")
	}
	t.step("ada", o, "claims "+claimed, result.Claim.Resource+", guarded, in every worktree")
	return nil
}

// ask sends the question.
func (t *tale) ask(ctx context.Context) error {
	o, err := t.ada.acc(ctx, "message", "--to", "grace", "--type", "question", "--subject", "Which half owns the clamp?", "--body", questionText)
	if err != nil {
		return err
	}
	sent, err := decode(o, view.Sent)
	if err != nil {
		return err
	}
	t.question = sent.Message.MessageID
	t.asked = append(t.asked, t.question)
	return t.settled(ctx, "ada", o, "asks grace a question", t.question, protocol.Queued)
}

// edits shows the guard: the owner may edit, the other is refused, although its copy is another file.
func (t *tale) edits(ctx context.Context) error {
	o, said, err := t.ada.edit(ctx)
	if err != nil {
		return err
	}
	if said != (answer{}) {
		return o.wrong("the owner of the claim was not left alone")
	}
	t.step("ada", o, "edits its own file", "acc-hook prints nothing; the edit goes on")
	o, said, err = t.grace.edit(ctx)
	if err != nil {
		return err
	}
	if said.Decision != "deny" || !strings.Contains(said.Reason, claimed) || !strings.Contains(said.Reason, "ada") {
		return o.wrong("the edit was not refused with file and owner")
	}
	return t.settled(ctx, "grace", o, "tries to edit the same file, and is refused: "+said.Reason, t.question, protocol.Queued)
}

func (s *session) edit(ctx context.Context) (outcome, answer, error) {
	return s.hook(ctx, "PreToolUse.Edit.json", map[jsontext.Pointer]string{"/tool_input/file_path": filepath.Join(s.cwd, filepath.FromSlash(claimed))})
}

// questionArrives gives the second session its next turn.
func (t *tale) questionArrives(ctx context.Context) error {
	return t.arrives(ctx, t.grace, "Write the tests.", t.question, questionText, "is told the question with its next turn")
}

// answerArrives gives the first session its next turn.
func (t *tale) answerArrives(ctx context.Context) error {
	return t.arrives(ctx, t.ada, "Go on.", t.answer, answerText, "sees the answer with its next turn")
}

func (t *tale) arrives(ctx context.Context, s *session, prompt, messageID, body, did string) error {
	o, said, err := s.hook(ctx, "UserPromptSubmit.json", map[jsontext.Pointer]string{"/prompt": prompt})
	if err != nil {
		return err
	}
	if !strings.Contains(said.Context, messageID) || !strings.Contains(said.Context, body) {
		return o.wrong("the message did not come with the turn")
	}
	return t.settled(ctx, s.name, o, did, messageID, protocol.Offered)
}

// reply answers the question.
func (t *tale) reply(ctx context.Context) error {
	o, err := t.grace.acc(ctx, "reply", "--message", t.question, "--body", answerText)
	if err != nil {
		return err
	}
	replied, err := decode(o, view.Replied)
	if err != nil {
		return err
	}
	t.answer = replied.Message.MessageID
	t.asked = append(t.asked, t.answer)
	if err := t.settled(ctx, "grace", o, "replies", t.answer, protocol.Queued); err != nil {
		return err
	}
	return t.is(t.question, protocol.Acknowledged)
}

// end closes both sessions; the claim goes with its owner.
func (t *tale) end(ctx context.Context) error {
	for _, s := range []*session{t.ada, t.grace} {
		o, _, err := s.hook(ctx, "SessionEnd.prompt_input_exit.json", nil)
		if err != nil {
			return err
		}
		t.step(s.name, o, "ends", "the session is closed and holds nothing any more")
	}
	o, err := t.run(ctx, t.project, nil, nil, t.acc, "status", "--json")
	if err != nil {
		return err
	}
	status, err := decode(o, view.Status)
	if err != nil {
		return err
	}
	if len(status.Sessions) != 0 || len(status.Claims) != 0 {
		return o.wrong("somebody or something is left in the room")
	}
	t.data.WorkspaceID = status.WorkspaceID
	t.step("room", o, "is empty", "nobody is here and nothing is claimed")
	return nil
}
