package command

import (
	"context"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/livefiles"
	flags "github.com/urfave/cli/v2"
)

func deliveryCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "delivery", Group: groupSetup,
			Summary: "show or choose which messages may wake a running session",
			Options: []argv.Option{
				{Name: "policy", Value: "POLICY", Choices: texts(protocol.LiveOff, protocol.LiveActionable, protocol.LiveAll), Usage: "what may wake; actionable: questions, requests, answers, decisions and handoffs"},
				{Name: "adapter", Value: "ID", Repeated: true, Usage: "only this client; none: every one that can be woken"},
			},
			Notes: []string{
				"Off until it is chosen. Nothing is started, resumed or interrupted for a message, and with off every message still " +
					"arrives with the next turn. A session follows a change from its next turn on, senders at once.",
			},
		},
		Run: func(_ context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			return runDelivery(inv, protocol.LivePolicy(given.String("policy")), given.StringSlice("adapter"))
		},
	}
}

func runDelivery(inv *Invocation, policy protocol.LivePolicy, only []string) (Answer, error) {
	home, err := datahome.Locate(inv.Env)
	if err != nil {
		return Answer{}, err
	}
	lives, err := inv.wakeable(only)
	if err != nil {
		return Answer{}, err
	}
	policies := livefiles.NewPolicies(home)
	if policy != "" {
		for _, l := range lives {
			if err := policies.SetLivePolicy(l.ID(), policy); err != nil {
				return Answer{}, err
			}
		}
	}
	decided, err := policies.Decided()
	if err != nil {
		return Answer{}, err
	}
	var data view.PolicyData
	for _, l := range lives {
		chosen, found := decided[l.ID()]
		if !found {
			chosen = protocol.LiveOff
		}
		data.Clients = append(data.Clients, view.ClientPolicy{
			AdapterID: l.ID(), Policy: chosen, Decided: found, Transport: string(l.Contract().Transport.Public()), Minimum: l.Contract().Minimum,
			Experimental: l.Contract().Experimental,
		})
	}
	return answer(view.Policy, data, func(u *ui.UI) {
		var rows [][]ui.Cell
		for _, c := range data.Clients {
			state := string(c.Policy)
			if !c.Decided {
				state += ", not chosen yet"
			}
			by := "by " + c.Transport + ", from version " + c.Minimum + " on"
			if c.Experimental {
				by += ", experimental"
			}
			rows = append(rows, ui.Row(c.AdapterID, state, by))
		}
		u.Table("", rows)
	}), nil
}

// wakeable gives the live transports of this build, or those of some clients.
func (inv *Invocation) wakeable(only []string) ([]*adapter.Live, error) {
	if inv.Lives == nil {
		return nil, nil
	}
	lives, err := inv.Lives()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, l := range lives {
		ids = append(ids, l.ID())
	}
	for _, id := range only {
		if !slices.Contains(ids, id) {
			return nil, invalid("no sessions of %q can be woken; those of %s can", id, strings.Join(ids, ", "))
		}
	}
	return slices.DeleteFunc(lives, func(l *adapter.Live) bool { return len(only) > 0 && !slices.Contains(only, l.ID()) }), nil
}
