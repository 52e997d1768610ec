package core

import (
	"fmt"
	"maps"
	"slices"

	"github.com/acc-control-plane/acc/core/decision"
	"github.com/acc-control-plane/acc/protocol"
)

// maxGroup bounds how much of a group of decisions one read walks.
const maxGroup = 256

// decisionStatus gives what has become of a decision, nil for a message of another kind.
func (r *room) decisionStatus(m *protocol.Message) (*decision.Status, error) {
	if m.MessageKind != protocol.Decision {
		return nil, nil
	}
	if known, found := r.decisions[m.MessageID]; found {
		return &known, nil
	}
	nodes, whole, err := r.decisionGroup(m)
	if err != nil {
		return nil, err
	}
	statuses := decision.Resolve(nodes)
	status := statuses[m.MessageID]
	if whole {
		maps.Copy(r.decisions, statuses) // one page may list many of one group
	} else {
		status.Partial, status.CurrentMessageID = true, ""
	}
	return &status, nil
}

// decisionGroup walks the links of a decision both ways; whole is false when there is more than
// maxGroup. The decision's own successors are always among the nodes.
func (r *room) decisionGroup(start *protocol.Message) (nodes []decision.Node, whole bool, err error) {
	queue, seen := []string{start.MessageID}, map[string]bool{start.MessageID: true}
	for i := 0; i < len(queue); i++ {
		m, found, err := r.message(queue[i])
		if err != nil {
			return nil, false, err
		}
		if !found {
			continue
		}
		node := decision.Node{ID: m.MessageID}
		if m.DecisionChange != nil {
			node.Action, node.Targets = m.DecisionChange.Action, m.DecisionChange.MessageIDs
		}
		nodes = append(nodes, node)
		successors, err := r.Find(Query{Index: DecisionSuccessors, Key: []string{m.MessageID}, Limit: maxGroup})
		if err != nil {
			return nil, false, err
		}
		next := slices.Clone(node.Targets)
		for _, successor := range successors {
			next = append(next, successor.ID)
		}
		for _, id := range next {
			if seen[id] {
				continue
			}
			if len(queue) >= maxGroup {
				return r.truncated(nodes, queue[i+1:])
			}
			seen[id] = true
			queue = append(queue, id)
		}
	}
	return nodes, true, nil
}

// truncated completes a walk that was cut short with the nodes that were seen and not read.
func (r *room) truncated(nodes []decision.Node, unread []string) ([]decision.Node, bool, error) {
	for _, id := range unread {
		m, found, err := r.message(id)
		if err != nil {
			return nil, false, err
		}
		if found && m.DecisionChange != nil {
			nodes = append(nodes, decision.Node{ID: id, Action: m.DecisionChange.Action, Targets: m.DecisionChange.MessageIDs})
		} else if found {
			nodes = append(nodes, decision.Node{ID: id})
		}
	}
	return nodes, false, nil
}

// decisionChange makes the link of a request, nil where it changes nothing.
func decisionChange(req SendRequest) (*protocol.DecisionChange, error) {
	action, targets := protocol.Replace, req.Replaces
	switch {
	case len(req.Replaces) > 0 && len(req.Withdraws) > 0:
		return nil, protocol.UsageError("", "a decision either replaces or withdraws others")
	case len(req.Withdraws) > 0:
		action, targets = protocol.Withdraw, req.Withdraws
	case len(req.Replaces) == 0:
		return nil, nil
	}
	if req.MessageKind != protocol.Decision {
		return nil, protocol.UsageError("", fmt.Sprintf("only a decision replaces or withdraws others, not a message of kind %q", req.MessageKind))
	}
	sorted := slices.Clone(targets)
	slices.Sort(sorted)
	if sorted = slices.Compact(sorted); len(sorted) > protocol.MaxDecisionLinks {
		return nil, protocol.UsageError("", fmt.Sprintf("one decision changes at most %d others", protocol.MaxDecisionLinks))
	}
	return &protocol.DecisionChange{Action: action, MessageIDs: sorted}, nil
}

// inherit gives who must hear of a change of decisions: those who are addressed, and the authors and
// every recipient of what is changed, away or not, without the one who changes it.
func (r *room) inherit(s *protocol.Session, to []string, linked *protocol.DecisionChange) ([]string, error) {
	all := slices.Clone(to)
	for _, id := range linked.MessageIDs {
		m, found, err := r.message(id)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("there is no message %q to %s", id, linked.Action))
		}
		if m.MessageKind != protocol.Decision {
			return nil, protocol.DataError("", fmt.Sprintf("message %s is a %s, and only decisions are replaced or withdrawn", id, m.MessageKind)).With("messageId", id)
		}
		all = insertSorted(all, m.FromParticipantID)
		receipts, err := r.receipts(ReceiptsByMessage, id)
		if err != nil {
			return nil, err
		}
		for _, receipt := range receipts {
			all = insertSorted(all, receipt.RecipientParticipantID)
		}
	}
	return slices.DeleteFunc(all, func(id string) bool { return id == s.ParticipantID }), nil
}
