package decision

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/protocol"
)

func root(id string) Node { return Node{ID: id} }
func replaces(id string, targets ...string) Node {
	return Node{ID: id, Action: protocol.Replace, Targets: targets}
}
func withdraws(id string, targets ...string) Node {
	return Node{ID: id, Action: protocol.Withdraw, Targets: targets}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []Node
		want  map[string]Status
	}{
		{"alone", []Node{root("b")}, map[string]Status{
			"b": {Current, true, false, 1, "b", "b", false},
		}},
		{"replaced", []Node{root("b"), replaces("a", "b")}, map[string]Status{
			"a": {Current, true, false, 1, "a", "b", false},
			"b": {Superseded, false, false, 1, "a", "b", false},
		}},
		{"withdrawn", []Node{root("b"), withdraws("c", "b")}, map[string]Status{
			"b": {Withdrawn, false, false, 1, "c", "b", false},
			"c": {Withdrawn, true, false, 1, "c", "b", false},
		}},
		{"replaced twice is a conflict", []Node{root("a"), replaces("b", "a"), replaces("c", "a")}, map[string]Status{
			"a": {Superseded, false, true, 2, "", "a", false},
			"b": {Current, true, true, 2, "", "a", false},
			"c": {Current, true, true, 2, "", "a", false},
		}},
		{"replaced and withdrawn is a conflict", []Node{root("a"), replaces("b", "a"), withdraws("c", "a")}, map[string]Status{
			"a": {Superseded, false, true, 2, "", "a", false},
			"b": {Current, true, true, 2, "", "a", false},
			"c": {Withdrawn, true, true, 2, "", "a", false},
		}},
		{"a conflict is settled", []Node{root("a"), replaces("b", "a"), replaces("c", "a"), replaces("d", "b", "c")}, map[string]Status{
			"a": {Superseded, false, false, 1, "d", "a", false},
			"b": {Superseded, false, false, 1, "d", "a", false},
			"c": {Superseded, false, false, 1, "d", "a", false},
			"d": {Current, true, false, 1, "d", "a", false},
		}},
		{"groups join", []Node{root("y"), root("x"), replaces("z", "x", "y")}, map[string]Status{
			"x": {Superseded, false, false, 1, "z", "x", false},
			"y": {Superseded, false, false, 1, "z", "x", false},
			"z": {Current, true, false, 1, "z", "x", false},
		}},
		{"a withdrawal is replaced", []Node{root("a"), withdraws("b", "a"), replaces("c", "b")}, map[string]Status{
			"a": {Superseded, false, false, 1, "c", "a", false},
			"b": {Superseded, false, false, 1, "c", "a", false},
			"c": {Current, true, false, 1, "c", "a", false},
		}},
		{"a link to what is gone", []Node{replaces("b", "pruned")}, map[string]Status{
			"b": {Current, true, false, 1, "b", "b", false},
		}},
	} {
		if diff := cmp.Diff(c.want, Resolve(c.nodes)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestResolveFollowsTheDefinition compares Resolve with each definition taken literally: a group is what
// a repeated union of linked pairs gives.
func TestResolveFollowsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		nodes := make([]Node, n)
		for i := range nodes {
			nodes[i].ID = fmt.Sprintf("n%d", (i*7)%11) // ids do not follow the order of writing
			for j := range i {
				if rapid.IntRange(0, 3).Draw(t, "link") == 0 {
					nodes[i].Targets = append(nodes[i].Targets, nodes[j].ID)
				}
			}
			if len(nodes[i].Targets) > 0 {
				nodes[i].Action = rapid.SampledFrom([]protocol.DecisionAction{protocol.Replace, protocol.Withdraw}).Draw(t, "action")
			}
		}
		label := map[string]string{}
		for _, node := range nodes {
			label[node.ID] = node.ID
		}
		for range nodes {
			for _, node := range nodes {
				for _, target := range node.Targets {
					low := min(label[node.ID], label[target])
					label[node.ID], label[target] = low, low
				}
			}
		}
		got := Resolve(nodes)
		if len(got) != n {
			t.Fatalf("%d statuses of %d nodes", len(got), n)
		}
		target := func(id string) bool {
			return slices.ContainsFunc(nodes, func(o Node) bool { return slices.Contains(o.Targets, id) })
		}
		for _, node := range nodes {
			var heads, roots, members []string
			standing := false
			for _, other := range nodes {
				if label[other.ID] != label[node.ID] {
					continue
				}
				members = append(members, other.ID)
				if len(other.Targets) == 0 {
					roots = append(roots, other.ID)
				}
				if !target(other.ID) {
					heads = append(heads, other.ID)
					standing = standing || other.Action != protocol.Withdraw
				}
			}
			want := Status{State: Withdrawn, IsHead: !target(node.ID), Conflicted: len(heads) != 1, HeadCount: len(heads)}
			if len(roots) > 0 {
				members = roots
			}
			want.GroupID = slices.Min(members)
			if len(heads) == 1 {
				want.CurrentMessageID = heads[0]
			}
			if want.IsHead && node.Action != protocol.Withdraw {
				want.State = Current
			} else if !want.IsHead && standing {
				want.State = Superseded
			}
			if diff := cmp.Diff(want, got[node.ID]); diff != "" {
				t.Fatalf("%s in %v (-want +got):\n%s", node.ID, nodes, diff)
			}
		}
		shuffled := slices.Clone(nodes)
		slices.Reverse(shuffled)
		if !maps.Equal(got, Resolve(shuffled)) {
			t.Fatal("the order of writing decides")
		}
	})
}
