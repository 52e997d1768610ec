package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/tools/realclient"
)

// shape is a way in which a hook before a tool may answer, and what the client is known to make of it. In
// its texts WORD stands for a word that nothing else holds, and EVENT for the client's name of the event.
type shape struct {
	name  string
	reply reply
	runs  bool // the tool
	heard bool // the word, by the model
}

// telling is a way to say something to the model, and the events at which it is heard.
type telling struct {
	name   string
	stdout string
	heard  func(e eventNames) []string
}

// matrixRow is what was seen of one of them.
type matrixRow struct {
	Shape    string `json:"shape"`
	Event    string `json:"event,omitempty"`
	Stdout   string `json:"stdout,omitempty"`
	Stderr   string `json:"stderr,omitempty"`
	ExitCode int    `json:"exitCode,omitempty"`
	Ran      *bool  `json:"toolRan,omitempty"`
	Heard    bool   `json:"modelRead"`
	AsKnown  bool   `json:"asKnown"`
}

// matrix lets hooks answer in one shape after the other. acc's own hook takes no part: this is how a
// client's ways are known that an adapter relies on.
func (s *stage) matrix(ctx context.Context) ([]finding, error) {
	denies, err := s.denials(ctx)
	if err != nil {
		return nil, err
	}
	found := []finding{s.asKnown(denyMatrix, denies)}
	told, err := s.tellings(ctx)
	if err != nil {
		return found, err
	}
	return append(found, s.asKnown(contextMatrix, told)), nil
}

// denials are all shapes in one turn: the model tries to write a file for each.
func (s *stage) denials(ctx context.Context) ([]matrixRow, error) {
	var steps []realclient.Step
	file := func(i int) string { return filepath.Join(s.project, fmt.Sprintf("probe-%d.txt", i)) }
	word := func(i int) string { return fmt.Sprintf("the-word-of-row-%d-", i) }
	fill := func(text string, i int) string {
		return strings.NewReplacer("WORD", word(i), "EVENT", s.client.events.before).Replace(text)
	}
	for i, shape := range s.client.shapes {
		r := shape.reply
		r.Stdout, r.Stderr = fill(r.Stdout, i), fill(r.Stderr, i)
		if err := s.answerWith(rowName(i), r); err != nil {
			return nil, err
		}
		steps = append(steps, s.client.write(file(i), "written by the model"))
	}
	s.probing = func(p realclient.Prompt) []realclient.Step {
		if strings.Contains(p.Newest, firstTurn) {
			return steps
		}
		return nil
	}
	asked, err := s.turn(ctx, firstTurn, false)
	if err != nil {
		return nil, err
	}
	seen := asked[len(asked)-1].Seen
	var rows []matrixRow
	for i, shape := range s.client.shapes {
		_, err := os.Stat(file(i))
		ran, heard := err == nil, strings.Contains(seen, word(i))
		rows = append(rows, matrixRow{
			Shape: shape.name, Event: s.client.events.before, Stdout: shape.reply.Stdout, Stderr: shape.reply.Stderr, ExitCode: shape.reply.Code,
			Ran: &ran, Heard: heard, AsKnown: ran == shape.runs && heard == shape.heard,
		})
	}
	return rows, s.answerNothing()
}

// tellings says something at every event at once, a run for each way of saying it.
func (s *stage) tellings(ctx context.Context) ([]matrixRow, error) {
	e := s.client.events
	var events []string
	for _, event := range []string{e.start, e.prompt, e.before, e.after} {
		if s.client.wired(event) {
			events = append(events, event)
		}
	}
	s.probing = func(p realclient.Prompt) []realclient.Step {
		if strings.Contains(p.Newest, secondTurn) {
			return []realclient.Step{s.client.write(filepath.Join(s.project, fmt.Sprintf("told-%d.txt", s.number)), "written by the model")}
		}
		return nil
	}
	var rows []matrixRow
	for _, way := range s.client.tellings {
		s.number++
		word := func(event string) string { return fmt.Sprintf("the-word-%d-at-%s-", s.number, event) }
		for _, event := range events {
			text := strings.NewReplacer("WORD", word(event), "EVENT", event).Replace(way.stdout)
			if err := s.answerWith(event, reply{Stdout: text}); err != nil {
				return nil, err
			}
		}
		asked, err := s.turn(ctx, secondTurn, false)
		if err != nil {
			return nil, err
		}
		seen, known := asked[len(asked)-1].Seen, way.heard(e)
		for _, event := range events {
			heard := strings.Contains(seen, word(event))
			rows = append(rows, matrixRow{Shape: way.name, Event: event, Stdout: way.stdout, Heard: heard, AsKnown: heard == slices.Contains(known, event)})
		}
	}
	return rows, s.answerNothing()
}

// asKnown is the finding that a matrix comes to.
func (s *stage) asKnown(check string, rows []matrixRow) finding {
	good, odd := 0, []string(nil)
	for _, r := range rows {
		if r.AsKnown {
			good++
		} else {
			odd = append(odd, strings.TrimSpace(r.Shape+" "+r.Event))
		}
	}
	saw := fmt.Sprintf("the client did what is known of it with each of %d answers", len(rows))
	if len(odd) > 0 {
		saw = "what is known with each answer: " + strings.Join(odd, "; ")
	}
	return judged(finding{check: check, mode: matrixMode, saw: saw, rows: rows}, good == len(rows) && good > 0)
}
