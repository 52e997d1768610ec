package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/tools/realclient"
)

// finding is what came of one check that ran.
type finding struct {
	capability  certification.Capability
	passed      bool
	saw         string // one sentence, true of this run
	call        *hookCall
	received    string // by the model; empty where it does not matter
	idle, busy  string
	limitations []string
}

const noTerminal = "seen without a terminal; the terminal session was not driven in this run"

// certify runs the client twice, in one conversation, and gives what was found.
func (s *stage) certify(ctx context.Context) ([]finding, error) {
	first, err := s.turn(ctx, firstTurn, false)
	if err != nil {
		return nil, err
	}
	found := s.lifecycle(ctx)
	found = append(found, s.startContext(first)...)
	found = append(found, s.midTurnContext(first)...)
	found = append(found, s.guards(first)...)
	if err := s.tell(ctx, nextTurnWord); err != nil {
		return found, err
	}
	second, err := s.turn(ctx, secondTurn, true)
	if err != nil {
		return found, err
	}
	return append(found, s.nextTurn(second)...), nil
}

// lifecycle looks at the room while the client ran and after it had gone.
func (s *stage) lifecycle(ctx context.Context) []finding {
	var found []finding
	if call := s.last(s.client.events.start); call != nil {
		found = append(found, finding{
			capability: certification.SessionStart, passed: s.open, call: call, saw: "the session was open in the room when the model was first asked",
			idle: "the session is open from its start on", busy: "the session stays open", limitations: []string{noTerminal},
		})
	}
	session, known, err := s.session(ctx)
	if call := s.last(s.client.events.end); call != nil && known && err == nil {
		found = append(found, finding{
			capability: certification.SessionEnd, passed: session.EndReason != "", call: call, saw: "the session had ended in the room after the client had gone",
			idle: "ends when the client is left", busy: "not tried", limitations: []string{noTerminal, "a client that is killed says nothing"},
		})
	}
	return found
}

// header begins the line with the owner pair.
const header = "ACC CLI (append): --session"

// startContext looks for what the start of the session told the model.
func (s *stage) startContext(asked []realclient.Prompt) []finding {
	call := s.last(s.client.events.start)
	if call == nil || !strings.Contains(call.Stdout, header) {
		return nil
	}
	return []finding{{
		capability: certification.StartupContext, passed: strings.Contains(asked[0].Seen, header), call: call,
		received: around(asked[0].Seen, header), saw: "the owner header was in the first request",
		idle: "with the first request", busy: "does not occur", limitations: []string{noTerminal},
	}}
}

// midTurnContext looks for what was sent while the turn ran.
func (s *stage) midTurnContext(asked []realclient.Prompt) []finding {
	call := s.containing(s.client.events.after, midTurnWord)
	if call == nil {
		return nil
	}
	last := asked[len(asked)-1].Seen
	return []finding{{
		capability: certification.SafePoint, passed: strings.Contains(last, midTurnWord) && !strings.Contains(asked[0].Seen, midTurnWord), call: call,
		received: around(last, midTurnWord), saw: "a message sent while the turn ran was in a later request of the same turn",
		idle: "does not occur", busy: "with the request after the tool", limitations: []string{noTerminal},
	}}
}

// nextTurn looks for what was sent between the turns.
func (s *stage) nextTurn(asked []realclient.Prompt) []finding {
	call := s.containing(s.client.events.prompt, nextTurnWord)
	if call == nil {
		return nil
	}
	f := finding{
		capability: certification.TurnContext, passed: strings.Contains(asked[0].Seen, nextTurnWord), call: call,
		received: around(asked[0].Seen, nextTurnWord), saw: "a message sent between two turns was in the first request of the next",
		idle: "waits for the next prompt", busy: "waits for the next tool or prompt", limitations: []string{noTerminal},
	}
	next := f
	next.capability = certification.NextTurn
	return []finding{f, next}
}

// guards looks at the files: the free one must have been written, or nothing was tried.
func (s *stage) guards(asked []realclient.Prompt) []finding {
	if _, err := os.Stat(filepath.Join(s.project, free)); err != nil {
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
		capability, what := certification.GuardWrite, "a file tool"
		limitations := []string{noTerminal}
		if call.tool() == s.client.shellTool {
			capability, what = certification.GuardShell, "a shell command"
			limitations = append(limitations, "shell commands only as far as their text says what they write")
		}
		if slices.ContainsFunc(found, func(f finding) bool { return f.capability == capability }) {
			continue
		}
		found = append(found, finding{
			capability: capability, passed: untouched && strings.Contains(last, refusal), call: &call, received: around(last, refusal),
			saw:  what + " that writes a claimed file was refused, the file was not made, and the model read why; a free file was written",
			idle: "does not occur", busy: "before the tool runs", limitations: limitations,
		})
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

// around cuts the paragraph out of what the model was sent in which a word stands.
func around(text, word string) string {
	const reach = 400
	at := strings.Index(text, word)
	if at < 0 {
		return ""
	}
	return strings.ToValidUTF8(text[max(0, at-reach):min(len(text), at+reach)], "")
}
