// Package decision derives what has become of decisions from the links between them. Nothing is stored:
// a decision that replaces or withdraws others names them, and everything else follows. It is pure.
package decision

import (
	"slices"

	"github.com/acc-control-plane/acc/protocol"
)

// Node is one decision and its links.
type Node struct {
	ID      string
	Action  protocol.DecisionAction // what it does to its targets; empty without targets
	Targets []string                // older decisions that it replaces or withdraws
}

// State says whether a decision counts.
type State string

// The states. Time and acknowledgements never decide them.
const (
	Current    State = "current"
	Superseded State = "superseded"
	Withdrawn  State = "withdrawn"
)

// Status is what has become of one decision.
type Status struct {
	State            State
	IsHead           bool   // nothing replaced or withdrew it
	Conflicted       bool   // its group has not exactly one head
	HeadCount        int    // of its group
	CurrentMessageID string // the only head of its group; empty when conflicted
	GroupID          string // names its group; may change when groups join
	Partial          bool   // the group is larger than what was walked: only State of a head and IsHead are certain
}

// Resolve gives the status of every node. Nodes linked by any path form a group; a link to a node that
// is not given is ignored.
func Resolve(nodes []Node) map[string]Status {
	g := newGraph(nodes)
	statuses := make(map[string]Status, len(nodes))
	for _, group := range g.groups() {
		g.judge(group, statuses)
	}
	return statuses
}

type graph struct {
	nodes    map[string]Node
	replaced map[string]bool     // it is a target of some node
	linked   map[string][]string // both ways
}

func newGraph(nodes []Node) *graph {
	g := &graph{nodes: map[string]Node{}, replaced: map[string]bool{}, linked: map[string][]string{}}
	for _, n := range nodes {
		g.nodes[n.ID] = n
	}
	for _, n := range nodes {
		for _, target := range n.Targets {
			if _, given := g.nodes[target]; !given {
				continue
			}
			g.replaced[target] = true
			g.linked[n.ID] = append(g.linked[n.ID], target)
			g.linked[target] = append(g.linked[target], n.ID)
		}
	}
	return g
}

// groups gives the ids of each group, sorted.
func (g *graph) groups() [][]string {
	seen := map[string]bool{}
	var groups [][]string
	for id := range g.nodes {
		if seen[id] {
			continue
		}
		seen[id] = true
		group := []string{id}
		for i := 0; i < len(group); i++ {
			for _, next := range g.linked[group[i]] {
				if !seen[next] {
					seen[next] = true
					group = append(group, next)
				}
			}
		}
		slices.Sort(group)
		groups = append(groups, group)
	}
	return groups
}

// judge writes the status of every member of a group.
func (g *graph) judge(group []string, statuses map[string]Status) {
	shared := Status{GroupID: group[0]}
	standing := false // some head says what holds, instead of only that nothing does
	for i := len(group) - 1; i >= 0; i-- {
		n := g.nodes[group[i]]
		if len(n.Targets) == 0 {
			shared.GroupID = n.ID // the smallest that links nothing, because the smallest comes last
		}
		if !g.replaced[n.ID] {
			shared.HeadCount++
			shared.CurrentMessageID = n.ID
			standing = standing || n.Action != protocol.Withdraw
		}
	}
	if shared.Conflicted = shared.HeadCount != 1; shared.Conflicted {
		shared.CurrentMessageID = ""
	}
	for _, id := range group {
		status := shared
		status.IsHead = !g.replaced[id]
		switch {
		case status.IsHead && g.nodes[id].Action != protocol.Withdraw:
			status.State = Current
		case !status.IsHead && standing:
			status.State = Superseded
		default:
			status.State = Withdrawn
		}
		statuses[id] = status
	}
}
