package command

import (
	"fmt"

	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/core/decision"
)

// decisionWords says what has become of a decision and where to look.
func decisionWords(s *decision.Status) string {
	text := string(s.State)
	switch {
	case s.Conflicted && s.Partial:
		text += ", perhaps in conflict: too many to tell"
	case s.Conflicted:
		text += fmt.Sprintf(", in conflict: %d decisions stand beside each other; one that supersedes them all settles it", s.HeadCount)
	case !s.IsHead && s.CurrentMessageID != "":
		text += ", see " + s.CurrentMessageID
	}
	return text
}

// decisionCells is the last column of a list with decisions in it.
func decisionCells(s *decision.Status) []ui.Cell {
	if s == nil {
		return nil
	}
	cell := ui.Cell{Text: string(s.State)}
	if s.Conflicted {
		cell = ui.Cell{Text: string(s.State) + ", in conflict", Style: ui.Urgent}
	}
	return []ui.Cell{cell}
}
