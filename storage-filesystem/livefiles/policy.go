package livefiles

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// Policies is the choice of the machine's owner, per client: which messages may spend a turn of its
// sessions. It lies in <data home>/acc/delivery.json, where no sandboxed tool may write, and is read anew
// each time. Nothing recorded is off.
type Policies struct{ base, path string }

// NewPolicies gives the choice in a data home.
func NewPolicies(home datahome.Home) Policies {
	return Policies{base: home.Root, path: filepath.Join(home.Acc(), "delivery.json")}
}

// choice is what was chosen for one client.
type choice struct {
	AdapterID string
	Policy    protocol.LivePolicy
}

type choices struct{ Clients []choice }

const maxChoices = 64

var choiceObject = &strictjson.Object[choice]{
	Name: "choice", Doc: "Which messages may spend a turn of the sessions of a client.",
	Members: func() []strictjson.Member[choice] {
		return []strictjson.Member[choice]{
			strictjson.Field("adapterId", "the client", func(c *choice) *string { return &c.AdapterID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("livePolicy", "off, actionable or all", func(c *choice) *protocol.LivePolicy { return &c.Policy },
				strictjson.Enum(protocol.LiveOff, protocol.LiveActionable, protocol.LiveAll)),
		}
	},
}

var choicesObject = &strictjson.Object[choices]{
	Name: "delivery", Doc: "The choices about live delivery.", MaxBytes: maxFile,
	Members: func() []strictjson.Member[choices] {
		return []strictjson.Member[choices]{
			strictjson.Const[choices]("schemaVersion", "always 1", 1),
			strictjson.Field("clients", "one per client", func(c *choices) *[]choice { return &c.Clients },
				strictjson.List(strictjson.Nested(choiceObject), 0, maxChoices)),
		}
	},
}

// LivePolicy gives the choice for a client. An error means that nobody can tell: treat it as off.
func (p Policies) LivePolicy(adapterID string) (protocol.LivePolicy, error) {
	all, err := p.read()
	if err != nil {
		return protocol.LiveOff, err
	}
	for _, c := range all.Clients {
		if c.AdapterID == adapterID {
			return c.Policy, nil
		}
	}
	return protocol.LiveOff, nil
}

// Decided gives every recorded choice, by adapter id.
func (p Policies) Decided() (map[string]protocol.LivePolicy, error) {
	all, err := p.read()
	decided := map[string]protocol.LivePolicy{}
	for _, c := range all.Clients {
		decided[c.AdapterID] = c.Policy
	}
	return decided, err
}

// SetLivePolicy records a choice. Whoever sets two at once loses one.
func (p Policies) SetLivePolicy(adapterID string, policy protocol.LivePolicy) error {
	all, err := p.read()
	if err != nil {
		return err
	}
	all.Clients = slices.DeleteFunc(all.Clients, func(c choice) bool { return c.AdapterID == adapterID })
	all.Clients = append(all.Clients, choice{adapterID, policy})
	slices.SortFunc(all.Clients, func(a, b choice) int { return strings.Compare(a.AdapterID, b.AdapterID) })
	data, err := choicesObject.AppendIndent(nil, &all)
	if err != nil {
		return protocol.Malformed("delivery choice", err)
	}
	return privatefile.Write(p.base, p.path, data)
}

func (p Policies) read() (choices, error) {
	data, err := privatefile.ReadBelow(p.base, p.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return choices{}, nil
	}
	if err != nil {
		return choices{}, err
	}
	all, err := choicesObject.Decode(data)
	return all, protocol.Malformed(p.path, err)
}
