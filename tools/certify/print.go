package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/tools/realclient"
)

// print runs the client twice without a terminal, in one conversation, and gives what was found.
func (s *stage) print(ctx context.Context) ([]finding, error) {
	first, err := s.turn(ctx, firstTurn, false)
	if err != nil {
		return nil, err
	}
	found := s.attached()
	end, err := s.ended(ctx, s.before)
	if err != nil {
		return found, err
	}
	found = append(found, end...)
	found = append(found, s.startContext(first)...)
	found = append(found, s.midTurnContext(first)...)
	found = append(found, s.guards(first)...)
	if err := s.tell(ctx, s.last(s.client.events.prompt).facts().Conversation, nextTurnWord); err != nil {
		return found, err
	}
	second, err := s.turn(ctx, secondTurn, true)
	if err != nil {
		return found, err
	}
	return append(found, s.nextTurn(second)...), nil
}

// turn runs the client for one prompt and gives what the model was sent during it.
func (s *stage) turn(ctx context.Context, prompt string, again bool) ([]realclient.Prompt, error) {
	first := s.count()
	out, err := s.run(ctx, s.path, s.client.args(prompt, again)...)
	s.mu.Lock()
	err = errors.Join(err, s.failure)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	asked := s.requests(first, "")
	if len(asked) == 0 {
		return nil, fmt.Errorf("the client did not ask the model; it printed:\n%s", out)
	}
	return asked, nil
}

// attached says what was in the room when the model was first asked.
func (s *stage) attached() []finding {
	call := s.last(s.client.events.start)
	if call == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return []finding{judged(finding{
		check: string(certification.SessionStart), mode: s.mode, call: call, saw: "the session was open in the room when the model was first asked",
		idle: "the session is open from its first hook on", busy: "the session stays open",
	}, s.open)}
}

// ended says what was in the room after the client had gone, if it said that it went.
func (s *stage) ended(ctx context.Context, owner core.Owner) ([]finding, error) {
	call := s.last(s.client.events.end)
	if call == nil {
		return nil, nil
	}
	closed, err := s.closed(ctx, owner)
	return []finding{sessionEnd(s.mode, call, closed)}, err
}

func sessionEnd(mode string, call *hookCall, good bool) finding {
	return judged(finding{
		check: string(certification.SessionEnd), mode: mode, call: call, saw: "the session had ended in the room after the client had gone",
		idle: "ends when the client is left", busy: "not tried", limitations: []string{"a client that is killed says nothing"},
	}, good)
}

// header begins the line with the owner pair.
const header = "ACC CLI (append): --session"

// startContext looks for what the start of the session told the model.
func (s *stage) startContext(asked []realclient.Prompt) []finding {
	call := s.containing(s.client.events.start, header)
	if call == nil || len(asked) == 0 {
		return nil
	}
	return []finding{judged(finding{
		check: string(certification.StartupContext), mode: s.mode, call: call, received: around(asked[0].Seen, header),
		saw: "the owner header was in the first request", idle: "with the first request", busy: "does not occur",
	}, strings.Contains(asked[0].Seen, header))}
}

// midTurnContext looks for what was sent while the turn ran.
func (s *stage) midTurnContext(asked []realclient.Prompt) []finding {
	call := s.containing(s.client.events.after, midTurnWord)
	if call == nil || len(asked) == 0 {
		return nil
	}
	last := asked[len(asked)-1].Seen
	return []finding{judged(finding{
		check: string(certification.SafePoint), mode: s.mode, call: call, received: around(last, midTurnWord),
		saw:  "a message sent while the turn ran was in a later request of the same turn",
		idle: "does not occur", busy: "with the request after the tool",
	}, strings.Contains(last, midTurnWord) && !strings.Contains(asked[0].Seen, midTurnWord))}
}

// nextTurn looks for what was sent between the turns.
func (s *stage) nextTurn(asked []realclient.Prompt) []finding {
	call := s.containing(s.client.events.prompt, nextTurnWord)
	if call == nil || len(asked) == 0 {
		return nil
	}
	f := judged(finding{
		check: string(certification.TurnContext), mode: s.mode, call: call, received: around(asked[0].Seen, nextTurnWord),
		saw:  "a message sent between two turns was in the first request of the next",
		idle: "waits for the next prompt", busy: "waits for the next tool or prompt",
	}, strings.Contains(asked[0].Seen, nextTurnWord))
	next := f
	next.check = string(certification.NextTurn)
	return []finding{f, next}
}

// guards looks at the files: the free one must have been written, or nothing was tried.
func (s *stage) guards(asked []realclient.Prompt) []finding {
	if _, err := os.Stat(filepath.Join(s.project, free)); err != nil || len(asked) == 0 {
		return nil
	}
	_, err := os.Stat(filepath.Join(s.project, held))
	untouched := errors.Is(err, fs.ErrNotExist)
	last := asked[len(asked)-1].Seen
	calls, err := s.calls(s.client.events.before)
	if err != nil {
		return nil
	}
	var found []finding
	const refusal = held + " is claimed by peer"
	for _, call := range calls {
		if !strings.Contains(call.Stdout, refusal) {
			continue
		}
		capability, what, limitations := certification.GuardWrite, "a file tool", []string(nil)
		if call.tool() == s.client.shellTool {
			capability, what = certification.GuardShell, "a shell command"
			limitations = []string{"shell commands only as far as their text says what they write"}
		}
		if slices.ContainsFunc(found, func(f finding) bool { return f.check == string(capability) }) {
			continue
		}
		found = append(found, judged(finding{
			check: string(capability), mode: s.mode, call: &call, received: around(last, refusal),
			saw:  what + " that writes a claimed file was refused, the file was not made, and the model read why; a free file was written",
			idle: "does not occur", busy: "before the tool runs", limitations: limitations,
		}, untouched && strings.Contains(last, refusal)))
	}
	return found
}

// last gives the newest recorded call of an event.
func (s *stage) last(event string) *hookCall { return s.containing(event, "") }

// containing gives the newest recorded call of an event whose answer holds a word.
func (s *stage) containing(event, word string) *hookCall {
	calls, err := s.calls(event)
	if err != nil {
		return nil
	}
	for i := len(calls) - 1; i >= 0; i-- {
		if strings.Contains(calls[i].Stdout, word) {
			return &calls[i]
		}
	}
	return nil
}

// around cuts out of what the model was sent the line in which a word stands, and a little of what follows.
func around(text, word string) string {
	const most = 300
	at := strings.Index(text, word)
	if at < 0 {
		return ""
	}
	begin := max(strings.LastIndexByte(text[:at], '\n')+1, at-most)
	return strings.ToValidUTF8(text[begin:min(len(text), at+most)], "")
}
