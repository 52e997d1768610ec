package view

import (
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ClientPolicy is the choice about waking running sessions of one client.
type ClientPolicy struct {
	AdapterID string
	Policy    protocol.LivePolicy
	Decided   bool   // false: nobody chose yet, which is off
	Transport string // by which they are reached
	Minimum   string // oldest client version
	// Experimental: never seen to work with the client.
	Experimental bool
}

// PolicyData is the answer of delivery.
type PolicyData struct{ Clients []ClientPolicy }

var clientPolicyObject = &strictjson.Object[ClientPolicy]{
	Name: "clientPolicy", Doc: "The choice about waking running sessions of one client.",
	Members: func() []strictjson.Member[ClientPolicy] {
		return []strictjson.Member[ClientPolicy]{
			field("adapterId", "the client", func(c *ClientPolicy) *string { return &c.AdapterID }, word),
			field("livePolicy", "which messages may spend a turn", func(c *ClientPolicy) *protocol.LivePolicy { return &c.Policy }, livePolicies),
			field("decided", "false: nobody chose yet, which is off", func(c *ClientPolicy) *bool { return &c.Decided }, truth),
			field("transport", "how they are reached", func(c *ClientPolicy) *string { return &c.Transport }, word),
			field("minimumVersion", "of the client", func(c *ClientPolicy) *string { return &c.Minimum }, word),
			strictjson.Optional("experimental", "made from descriptions, never seen to work with the client", func(c *ClientPolicy) *bool { return &c.Experimental }, truth),
		}
	},
}

// Policy is the answer of delivery.
var Policy = &Schema[PolicyData]{name: "delivery", doc: "Which messages may wake a running session.", data: func() strictjson.Type[PolicyData] {
	return strictjson.Nested(&strictjson.Object[PolicyData]{
		Name: "delivery",
		Members: func() []strictjson.Member[PolicyData] {
			return []strictjson.Member[PolicyData]{
				field("clients", "one entry for each client that can be woken", func(p *PolicyData) *[]ClientPolicy { return &p.Clients }, list(clientPolicyObject)),
			}
		},
	})
}}
