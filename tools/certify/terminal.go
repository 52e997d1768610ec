//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/tools/realclient"
)

// Limits of a terminal session. Clients copy themselves at their first start, and one notices only a
// minute later that its terminal has gone.
const (
	readyLimit = 2 * time.Minute
	turnLimit  = 90 * time.Second
	closeLimit = 100 * time.Second
	lookEvery  = 200 * time.Millisecond
)

// person drives the client in a terminal, as a person would.
type person struct {
	*stage
	terminal *realclient.Terminal
	number   int // of terminals opened
	// conversation is the client's own id of the one in the first terminal.
	conversation string
	found        []finding
}

// inTerminal drives a terminal session through what happens in one.
func (s *stage) inTerminal(ctx context.Context) ([]finding, error) {
	p := &person{stage: s}
	defer func() {
		if p.terminal != nil {
			p.terminal.Close()
		}
		if s.client.screen.leave != nil {
			s.client.screen.leave(s)
		}
	}()
	if err := p.open(ctx, false); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context) error{
		p.works, p.isIdle, p.looksAgain, p.asksHelper, p.isTwo, p.compacts, p.clears, p.isKilled, p.leaves,
	} {
		if err := part(ctx); err != nil {
			return p.found, fmt.Errorf("%w\nthe screen:\n%s", err, p.terminal.Screen(ctx))
		}
	}
	return p.found, nil
}

func (p *person) add(f ...finding) { p.found = append(p.found, f...) }

// open starts the client and answers what it asks before it takes a prompt.
func (p *person) open(ctx context.Context, again bool) (err error) {
	p.terminal, err = p.start(ctx, again)
	return err
}

func (p *person) start(ctx context.Context, again bool) (*realclient.Terminal, error) {
	p.number++
	socket := filepath.Join(p.root, fmt.Sprintf("tmux-%d", p.number))
	t, err := realclient.OpenTerminal(ctx, socket, p.project, p.environment("xterm-256color"), append([]string{p.path}, p.client.screen.args(again)...)...)
	if err != nil {
		return t, err
	}
	wait := p.client.screen.settles
	if p.number == 1 {
		wait = max(wait, p.client.screen.asksLate)
	}
	var calm time.Time // since when there is no question; zero: there is one, or nothing at all
	return t, p.until(ctx, readyLimit, "the client takes a prompt", func() (bool, error) {
		screen := t.Screen(ctx)
		for _, d := range p.client.screen.dialogs {
			if strings.Contains(screen, d.sees) {
				calm, wait = time.Time{}, p.client.screen.settles
				return false, t.Press(ctx, d.keys...)
			}
		}
		if !strings.Contains(screen, p.client.screen.ready) {
			calm = time.Time{}
			return false, nil
		}
		if calm.IsZero() {
			calm = time.Now()
		}
		return time.Since(calm) >= wait, nil
	}, t)
}

// until looks until something is so. what completes "waited in vain until".
func (p *person) until(ctx context.Context, limit time.Duration, what string, so func() (bool, error), t *realclient.Terminal) error {
	end := time.Now().Add(limit)
	for {
		done, err := so()
		if err != nil || done {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("waited %s in vain until %s; the screen:\n%s", limit, what, t.Screen(ctx))
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// prompt types a prompt and waits until the turn is over. It gives what the model was sent for it.
func (p *person) prompt(ctx context.Context, text string) (asked []realclient.Prompt, call *hookCall, err error) {
	asked, call, err = p.promptIn(ctx, p.terminal, text)
	if err == nil {
		p.conversation = call.facts().Conversation
	}
	return asked, call, err
}

// promptIn gives the call before the turn too.
func (p *person) promptIn(ctx context.Context, t *realclient.Terminal, text string) ([]realclient.Prompt, *hookCall, error) {
	first, over := p.count(), p.fired(p.client.events.turnEnd)
	if err := t.Type(ctx, text); err != nil {
		return nil, nil, err
	}
	err := p.until(ctx, turnLimit, "the turn was over", func() (bool, error) {
		return p.fired(p.client.events.turnEnd) > over && len(p.requests(first, text)) > 0, nil
	}, t)
	p.mu.Lock()
	err = errors.Join(err, p.failure)
	p.mu.Unlock()
	call := p.calling(p.client.events.prompt, text)
	if err == nil && call == nil {
		err = fmt.Errorf("no hook heard of the prompt %q", text)
	}
	return p.requests(first, text), call, err
}

// fired counts the calls of an event.
func (p *person) fired(event string) int {
	calls, err := p.calls(event)
	if err != nil {
		return 0
	}
	return len(calls)
}

// works is the first turn: everything that a run without a terminal shows too.
func (p *person) works(ctx context.Context) error {
	asked, _, err := p.prompt(ctx, firstTurn)
	if err != nil {
		return err
	}
	p.add(p.attached()...)
	p.add(p.startContext(asked)...)
	p.add(p.midTurnContext(asked)...)
	p.add(p.guards(asked)...)
	return nil
}

// isIdle waits for a sign of life without a turn, where the client has one.
func (p *person) isIdle(ctx context.Context) error {
	event := p.client.events.heartbeat
	if event == "" {
		return nil
	}
	owner, _, err := p.ownerOf(ctx, p.conversation)
	if err != nil {
		return err
	}
	before, err := p.heard(ctx, owner)
	if err != nil {
		return err
	}
	asked, beats := p.count(), p.fired(event)
	err = p.until(ctx, turnLimit, "there was a sign of life", func() (bool, error) { return p.fired(event) > beats, nil }, p.terminal)
	if err != nil {
		return err
	}
	after, err := p.heard(ctx, owner)
	p.add(judged(finding{
		check: string(certification.Heartbeat), mode: p.mode, call: p.last(event), saw: "the room heard of an idle session that nobody typed in",
		idle: "once a minute", busy: "once a minute",
	}, after.After(before) && p.count() == asked))
	return err
}

// looksAgain is the next turn, before which the peer sent something.
func (p *person) looksAgain(ctx context.Context) error {
	if err := p.tell(ctx, p.conversation, nextTurnWord); err != nil {
		return err
	}
	asked, _, err := p.prompt(ctx, secondTurn)
	if err != nil {
		return err
	}
	p.add(p.nextTurn(asked)...)
	return nil
}

// asksHelper lets the model start a subagent, which writes a file.
func (p *person) asksHelper(ctx context.Context) error {
	if p.client.spawn == nil {
		return nil
	}
	before, err := p.openSessions(ctx)
	if err != nil {
		return err
	}
	if _, _, err := p.prompt(ctx, childTurn); err != nil {
		return err
	}
	var call *hookCall
	err = p.until(ctx, turnLimit, "the helper had written its file", func() (bool, error) {
		_, err := os.Stat(filepath.Join(p.project, childFile))
		call = p.calling(p.client.events.before, childFile)
		return err == nil && call != nil, nil
	}, p.terminal)
	if err != nil {
		return err
	}
	after, err := p.openSessions(ctx)
	if err != nil {
		return err
	}
	said := call.facts()
	own := said.Conversation != p.conversation
	saw := "the tool of a subagent came with the conversation of its session, and no further session opened"
	if own {
		saw = "a subagent is a conversation of its own, whose session was open while it ran and ended with it"
		_, opened, err := p.ownerOf(ctx, said.Conversation)
		if err != nil || !opened {
			return errors.Join(errors.New("the helper's conversation has no session"), err)
		}
	}
	p.add(judged(finding{check: subagents, mode: p.mode, call: call, saw: saw}, slices.Equal(before, after)))
	if said.Agent == "" {
		why := "the client does not tell hooks which agent acts"
		if own {
			why = "a subagent is a conversation of its own, which names no other"
		}
		p.add(notTried(string(certification.ChildSessions), p.mode, why))
		return nil
	}
	p.add(judged(finding{
		check: string(certification.ChildSessions), mode: p.mode, call: call, saw: "the tool of a subagent came with the name of the subagent",
		idle: "does not occur", busy: "a subagent's tools are guarded as its session's",
	}, !own))
	return nil
}

// calling gives the newest call of an event whose payload holds a word.
func (p *person) calling(event, word string) *hookCall {
	calls, err := p.calls(event)
	if err != nil {
		return nil
	}
	for i := len(calls) - 1; i >= 0; i-- {
		if strings.Contains(string(calls[i].Stdin), word) {
			return &calls[i]
		}
	}
	return nil
}

var ownerPair = regexp.MustCompile(`--session (session_\w+)`)

// toldSession gives the session whose owner header a request holds last.
func toldSession(asked []realclient.Prompt) string {
	if len(asked) == 0 {
		return ""
	}
	all := ownerPair.FindAllStringSubmatch(asked[len(asked)-1].Seen, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// isTwo opens a second terminal of the same home beside the first.
func (p *person) isTwo(ctx context.Context) error {
	conversation := p.conversation
	first, _, err := p.ownerOf(ctx, conversation)
	if err != nil {
		return err
	}
	beside, err := p.start(ctx, false)
	if beside != nil {
		defer beside.Close()
	}
	if err != nil {
		return err
	}
	told, other, err := p.promptIn(ctx, beside, otherTurn)
	if err != nil {
		return err
	}
	second, _, err := p.ownerOf(ctx, other.facts().Conversation)
	if err != nil {
		return err
	}
	open, err := p.openSessions(ctx)
	if err != nil {
		return err
	}
	own, _, err := p.prompt(ctx, secondTurn)
	if err != nil {
		return err
	}
	p.add(judged(finding{
		check: twoAtOnce, mode: p.mode, call: other, received: around(told[0].Seen, header),
		saw: "a second terminal of the same home opened a session of its own, and the first went on as its own",
	}, other.facts().Conversation != conversation && p.conversation == conversation && first.SessionID != second.SessionID &&
		slices.Contains(open, first.SessionID) && slices.Contains(open, second.SessionID) && fits(told, second) && fits(own, first)))
	return p.leave(ctx, beside)
}

// fits says that what a model was told of its owner pair, if anything, is this session.
func fits(asked []realclient.Prompt, owner core.Owner) bool {
	told := toldSession(asked)
	return told == "" || told == owner.SessionID
}

// leave ends the client as a person does, and waits until it has gone.
func (p *person) leave(ctx context.Context, t *realclient.Terminal) error {
	if err := t.Type(ctx, p.client.screen.quit); err != nil {
		return err
	}
	return p.until(ctx, turnLimit, "the client had gone", func() (bool, error) {
		return errors.Is(syscall.Kill(t.PID(), 0), syscall.ESRCH), nil
	}, t)
}

// compacts shortens the conversation: the same session goes on, its header is told again, and no body is.
func (p *person) compacts(ctx context.Context) error {
	if p.client.screen.compact == "" {
		return nil
	}
	before, _, err := p.ownerOf(ctx, p.conversation)
	if err != nil {
		return err
	}
	event := p.client.events.compacted
	if event == "" {
		event = p.client.events.start
	}
	asked, starts := p.count(), p.fired(event)
	if err := p.terminal.Type(ctx, p.client.screen.compact); err != nil {
		return err
	}
	err = p.until(ctx, turnLimit, "the conversation was shortened", func() (bool, error) {
		return strings.Contains(p.terminal.Screen(ctx), p.client.screen.compacted) || p.fired(event) > starts || p.count() > asked, nil
	}, p.terminal)
	if err != nil {
		return err
	}
	time.Sleep(p.client.screen.settles)
	conversation := p.conversation
	again, call, err := p.prompt(ctx, againTurn)
	if err != nil {
		return err
	}
	after, _, err := p.ownerOf(ctx, p.conversation)
	if err != nil {
		return err
	}
	start := p.last(event)
	if start == nil || event == p.client.events.start && start.facts().Source != "compact" {
		p.add(notTried(afterCompaction, p.mode, "the client's hooks heard nothing of a compaction"))
		return nil
	}
	if strings.Contains(start.Stdout, header) {
		call = start
	}
	p.add(judged(finding{
		check: afterCompaction, mode: p.mode, call: call, received: around(again[0].Seen, header),
		saw: "after a compaction the same session went on, the first request held its owner header, and no hook told a message again",
	}, conversation == p.conversation && before == after && toldSession(again) == after.SessionID && !strings.Contains(call.Stdout, nextTurnWord)))
	return nil
}

// clears begins a new conversation in the same process.
func (p *person) clears(ctx context.Context) error {
	if p.client.screen.clear == "" {
		return nil
	}
	conversation := p.conversation
	before, _, err := p.ownerOf(ctx, conversation)
	if err != nil {
		return err
	}
	if err := p.terminal.Type(ctx, p.client.screen.clear); err != nil {
		return err
	}
	time.Sleep(p.client.screen.settles + time.Second)
	asked, call, err := p.prompt(ctx, freshTurn)
	if err != nil {
		return err
	}
	after, _, err := p.ownerOf(ctx, p.conversation)
	if err != nil {
		return err
	}
	open, err := p.openSessions(ctx)
	if err != nil {
		return err
	}
	saw := "clearing began another session"
	if !slices.Contains(open, before.SessionID) {
		saw += ", and the one before had ended"
	} else {
		saw += "; the client said no end of the one before"
	}
	p.add(judged(finding{check: afterClear, mode: p.mode, call: call, received: around(asked[0].Seen, header), saw: saw},
		conversation != p.conversation && before.SessionID != after.SessionID && slices.Contains(open, after.SessionID) && fits(asked, after)))
	return nil
}

// isKilled ends every process of the client at once and opens the conversation again.
func (p *person) isKilled(ctx context.Context) error {
	conversation := p.conversation
	before, _, err := p.ownerOf(ctx, conversation)
	if err != nil {
		return err
	}
	if err := killTree(ctx, p.terminal.PID()); err != nil {
		return err
	}
	p.terminal.Close()
	if err := p.open(ctx, true); err != nil {
		return err
	}
	asked, call, err := p.prompt(ctx, resumeTurn)
	if err != nil {
		return err
	}
	if p.conversation != conversation {
		p.add(notTried(string(certification.SessionResume), p.mode, "the client continued another conversation than the one that was killed"))
		return nil
	}
	after, _, err := p.ownerOf(ctx, p.conversation)
	if err != nil {
		return err
	}
	open, err := p.openSessions(ctx)
	p.add(judged(finding{
		check: string(certification.SessionResume), mode: p.mode, call: call, received: around(asked[0].Seen, header),
		saw:  "a conversation whose client was killed went on as the same session when it was opened again",
		idle: "goes on when the conversation is opened again", busy: "does not occur",
	}, before == after && slices.Contains(open, after.SessionID) && fits(asked, after)))
	return err
}

// leaves ends the client as a person does. A client that says nothing of it leaves nothing to judge.
func (p *person) leaves(ctx context.Context) error {
	owner, _, err := p.ownerOf(ctx, p.conversation)
	if err != nil {
		return err
	}
	if err := p.leave(ctx, p.terminal); err != nil {
		return err
	}
	gone := func() (bool, error) { return p.closed(ctx, owner) }
	waited := p.until(ctx, closeLimit, "the session had ended", gone, p.terminal)
	if call := p.calling(p.client.events.end, p.conversation); call != nil {
		p.add(sessionEnd(p.mode, call, waited == nil))
	}
	return nil
}
