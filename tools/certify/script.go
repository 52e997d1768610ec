package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/tools/realclient"
)

// Prompts, which decide what the model does, and words that nothing but the peer's messages holds.
const (
	firstTurn  = "certify: work"
	secondTurn = "certify: look again"
	otherTurn  = "certify: beside the other"
	childTurn  = "certify: ask a helper"
	childTask  = "certify as a helper"
	againTurn  = "certify: after compaction"
	freshTurn  = "certify: after clearing"
	resumeTurn = "certify: once more"

	midTurnWord  = "the-word-sent-in-the-middle-of-a-turn"
	nextTurnWord = "the-word-sent-between-two-turns"
)

const (
	free, held = "free.txt", "held.txt" // new files of the project
	childFile  = "helper.txt"
)

// script is the model. At work it writes the free file, then tries the held one in two ways; while it is
// first asked for that, the peer sends it something.
func (s *stage) script(p realclient.Prompt) []realclient.Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, p)
	switch {
	case s.probing != nil:
		return s.probing(p)
	case strings.Contains(p.Newest, firstTurn):
		if !s.told {
			s.told = true
			s.interrupt()
		}
		return []realclient.Step{
			s.client.write(filepath.Join(s.project, free), "written by the model"),
			s.client.write(filepath.Join(s.project, held), "written by the model"),
			s.client.shell("echo 'written by the model' > " + held),
		}
	case strings.Contains(p.Newest, childTask):
		return []realclient.Step{s.client.shell("echo 'written by a helper' > " + childFile)}
	case strings.Contains(p.Newest, childTurn) && s.client.spawn != nil:
		return []realclient.Step{s.client.spawn(childTask)}
	}
	return nil
}

// interrupt looks at the room while the model is first asked, and lets the peer send something.
func (s *stage) interrupt() {
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	prompt := s.containing(s.client.events.prompt, "")
	if prompt == nil {
		s.failure = errors.New("no hook heard of the prompt before the model did")
		return
	}
	conversation := prompt.facts().Conversation
	owner, found, err := s.ownerOf(ctx, conversation)
	open, openErr := s.openSessions(ctx)
	s.before, s.open = owner, found && slices.Contains(open, owner.SessionID)
	s.failure = errors.Join(err, openErr, s.tell(ctx, conversation, midTurnWord))
}

// requests gives what the model was sent since it had been asked so often, for a prompt if one is given.
func (s *stage) requests(since int, prompt string) []realclient.Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.asked[min(since, len(s.asked)):])
	return slices.DeleteFunc(all, func(p realclient.Prompt) bool { return !strings.Contains(p.Newest, prompt) })
}

// count is how often the model was asked.
func (s *stage) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}
