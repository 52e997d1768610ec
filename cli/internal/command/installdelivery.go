package command

import (
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/installer"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
)

// decide says for each selected client whose sessions can be woken which messages may do so: what was
// asked for, else what was recorded before, else what a person answers, else nothing.
func (o *install) decide() ([]view.DeliveryDecision, error) {
	recorded, err := livefiles.NewPolicies(o.home).Decided()
	if err != nil {
		return nil, err
	}
	var decisions []view.DeliveryDecision
	var open []string // names of clients that need a decision
	for _, c := range o.wakeable() {
		d := view.DeliveryDecision{AdapterID: c.Installer.ID(), Policy: protocol.LiveOff, Source: view.NotDecided}
		switch before, found := recorded[d.AdapterID]; {
		case o.delivery != "":
			d.Policy, d.Source = o.delivery, view.DecidedByOption
		case found:
			d.Policy, d.Source = before, view.DecidedBefore
		default:
			open = append(open, c.Installer.DisplayName())
		}
		decisions = append(decisions, d)
	}
	if len(open) == 0 || o.dryRun || !o.inv.canAsk() {
		return decisions, nil
	}
	agreed, err := o.inv.confirm("A message that needs an answer can make a waiting session of " + strings.Join(open, " and ") +
		" look at once,\nwhich spends a turn of that session. Allow it?")
	if err != nil {
		return nil, err
	}
	for i := range decisions {
		if decisions[i].Source == view.NotDecided {
			decisions[i].Source = view.DecidedByPrompt
			if agreed {
				decisions[i].Policy = protocol.LiveActionable
			}
		}
	}
	return decisions, nil
}

// wakeable gives the clients that are here and whose running sessions this build can ask to look.
func (o *install) wakeable() []*installer.Client {
	lives, err := o.inv.Lives()
	if err != nil {
		return nil // a build whose transports do not seal wakes nobody
	}
	return slices.DeleteFunc(slices.Clone(o.clients), func(c *installer.Client) bool {
		if c.State != installer.Planned {
			return true
		}
		for _, l := range lives {
			if l.ID() == c.Installer.ID() {
				return false
			}
		}
		return true
	})
}

// record keeps the decisions about the clients that acc is installed into now.
func (o *install) record() error {
	policies := livefiles.NewPolicies(o.home)
	for _, d := range o.decisions {
		installed := slices.ContainsFunc(o.clients, func(c *installer.Client) bool {
			return c.Installer.ID() == d.AdapterID && (c.State == installer.Done || c.State == installer.Unchanged)
		})
		if !installed || d.Source != view.DecidedByOption && d.Source != view.DecidedByPrompt {
			continue
		}
		if err := policies.SetLivePolicy(d.AdapterID, d.Policy); err != nil {
			return err
		}
	}
	return nil
}
