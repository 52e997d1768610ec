package view

import (
	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ClientState is how far one client came.
type ClientState string

// The states of a client.
const (
	ClientAbsent    ClientState = "absent"
	ClientPlanned   ClientState = "planned"
	ClientUnchanged ClientState = "unchanged"
	ClientDone      ClientState = "done"
	ClientFailed    ClientState = "failed"
)

// InstalledClient is what was done, or would be done, in one client.
type InstalledClient struct {
	AdapterID   string
	DisplayName string
	Version     string
	State       ClientState
	Roots       []string
	Changes     []adapter.FileChange
	Kept        []adapter.KeptFile
	Steps       []string
	Notes       []string
	Indicator   adapter.IndicatorState
	Error       *Failure
}

// DeliveryDecision is the choice about waking sessions of one client.
type DeliveryDecision struct {
	AdapterID string
	Policy    protocol.LivePolicy
	Source    DecisionSource
}

// DecisionSource says where a choice comes from.
type DecisionSource string

// The sources of a choice.
const (
	DecidedByOption DecisionSource = "option"
	DecidedByPrompt DecisionSource = "prompt"
	DecidedBefore   DecisionSource = "recorded"
	NotDecided      DecisionSource = "none"
)

// RuntimeKind says who keeps the executables of acc up to date.
type RuntimeKind string

// The kinds.
const (
	Unmanaged RuntimeKind = "unmanaged" // who installs again
	Managed   RuntimeKind = "managed"   // acc update
)

// RuntimeCopy is what install does with the executables of acc.
type RuntimeCopy struct {
	Kind      RuntimeKind
	Directory string
	From      string
	Changes   []adapter.FileChange
}

// InstallData is the answer of install.
type InstallData struct {
	DryRun   bool
	Clients  []InstalledClient
	Runtime  *RuntimeCopy
	Delivery []DeliveryDecision
}

// UninstallData is the answer of uninstall.
type UninstallData struct {
	DryRun  bool
	Clients []InstalledClient
}

// indicatorDoc and indicators describe what a status line shows.
const indicatorDoc = "what its status line shows: acc, nothing, or what somebody else put there; null: unknown, or it has none that acc can write"

var indicators = strictjson.Enum(adapter.IndicatorOn, adapter.IndicatorOff, adapter.IndicatorOther)

var changeObject = &strictjson.Object[adapter.FileChange]{
	Name: "fileChange", Doc: "A change of one file.",
	Members: func() []strictjson.Member[adapter.FileChange] {
		return []strictjson.Member[adapter.FileChange]{
			field("path", "absolute", func(c *adapter.FileChange) *string { return &c.Path }, text),
			field("action", "what happens to it; edit: values in a file of yours", func(c *adapter.FileChange) *adapter.FileAction { return &c.Action },
				strictjson.Enum(adapter.CreateFile, adapter.ReplaceFile, adapter.EditFile, adapter.RemoveFile)),
			field("details", "of an edit: what is added or taken out", func(c *adapter.FileChange) *[]string { return &c.Details }, lines),
		}
	},
}

var keptObject = &strictjson.Object[adapter.KeptFile]{
	Name: "keptFile", Doc: "A file of acc's that stays.",
	Members: func() []strictjson.Member[adapter.KeptFile] {
		return []strictjson.Member[adapter.KeptFile]{
			field("path", "absolute", func(k *adapter.KeptFile) *string { return &k.Path }, text),
			field("reason", "why", func(k *adapter.KeptFile) *string { return &k.Reason }, text),
		}
	},
}

var installedClientObject = &strictjson.Object[InstalledClient]{
	Name: "client", Doc: "What was done in one client.",
	Members: func() []strictjson.Member[InstalledClient] {
		return []strictjson.Member[InstalledClient]{
			field("adapterId", "its adapter", func(c *InstalledClient) *string { return &c.AdapterID }, word),
			field("displayName", "its name for people", func(c *InstalledClient) *string { return &c.DisplayName }, text),
			nullable("version", "of the client, where it could be told", func(c *InstalledClient) *string { return &c.Version }, text),
			field("state", "absent: not on this machine, or nothing was installed into it; planned: nothing was touched", func(c *InstalledClient) *ClientState { return &c.State },
				strictjson.Enum(ClientAbsent, ClientPlanned, ClientUnchanged, ClientDone, ClientFailed)),
			field("roots", "its directories of configuration that this concerns", func(c *InstalledClient) *[]string { return &c.Roots }, lines),
			field("changes", "in their order", func(c *InstalledClient) *[]adapter.FileChange { return &c.Changes }, list(changeObject)),
			field("kept", "what stays although it is acc's", func(c *InstalledClient) *[]adapter.KeptFile { return &c.Kept }, list(keptObject)),
			field("steps", "what you must still do in the client", func(c *InstalledClient) *[]string { return &c.Steps }, lines),
			field("notes", "what else to know", func(c *InstalledClient) *[]string { return &c.Notes }, lines),
			nullable("indicator", indicatorDoc, func(c *InstalledClient) *adapter.IndicatorState { return &c.Indicator }, indicators),
			nullable("error", "of the state failed", func(c *InstalledClient) **Failure { return &c.Error }, strictjson.Pointer(strictjson.Nested(errorObject))),
		}
	},
}

var runtimeCopyObject = &strictjson.Object[RuntimeCopy]{
	Name: "runtime", Doc: "The executables that the clients call.",
	Members: func() []strictjson.Member[RuntimeCopy] {
		return []strictjson.Member[RuntimeCopy]{
			field("kind", "unmanaged: copies of the build that installs, which nothing updates but installing again; managed: a release, which acc update replaces",
				func(r *RuntimeCopy) *RuntimeKind { return &r.Kind }, strictjson.Enum(Unmanaged, Managed)),
			field("directory", "where they lie", func(r *RuntimeCopy) *string { return &r.Directory }, text),
			field("from", "the build they are copied from", func(r *RuntimeCopy) *string { return &r.From }, text),
			field("changes", "in their order", func(r *RuntimeCopy) *[]adapter.FileChange { return &r.Changes }, list(changeObject)),
		}
	},
}

var decisionObject = &strictjson.Object[DeliveryDecision]{
	Name: "deliveryDecision", Doc: "Whether messages may spend a turn of a client's sessions.",
	Members: func() []strictjson.Member[DeliveryDecision] {
		return []strictjson.Member[DeliveryDecision]{
			field("adapterId", "the client's adapter", func(d *DeliveryDecision) *string { return &d.AdapterID }, word),
			field("livePolicy", "which messages", func(d *DeliveryDecision) *protocol.LivePolicy { return &d.Policy }, livePolicies),
			field("source", "who decided; none: nobody, so it is off", func(d *DeliveryDecision) *DecisionSource { return &d.Source },
				strictjson.Enum(DecidedByOption, DecidedByPrompt, DecidedBefore, NotDecided)),
		}
	},
}

// Install is the answer of install.
var Install = &Schema[InstallData]{name: "install", doc: "What was installed, or would be.", data: func() strictjson.Type[InstallData] {
	return strictjson.Nested(&strictjson.Object[InstallData]{
		Name: "install",
		Members: func() []strictjson.Member[InstallData] {
			return []strictjson.Member[InstallData]{
				field("dryRun", "nothing was touched", func(d *InstallData) *bool { return &d.DryRun }, truth),
				field("clients", "every client that was looked for", func(d *InstallData) *[]InstalledClient { return &d.Clients }, list(installedClientObject)),
				nullable("runtime", "the executables; null: no client was found", func(d *InstallData) **RuntimeCopy { return &d.Runtime }, strictjson.Pointer(strictjson.Nested(runtimeCopyObject))),
				field("delivery", "of the clients whose running sessions can be asked to look", func(d *InstallData) *[]DeliveryDecision { return &d.Delivery }, list(decisionObject)),
			}
		},
	})
}}

// Uninstall is the answer of uninstall.
var Uninstall = &Schema[UninstallData]{name: "uninstall", doc: "What was taken out, or would be.", data: func() strictjson.Type[UninstallData] {
	return strictjson.Nested(&strictjson.Object[UninstallData]{
		Name: "uninstall",
		Members: func() []strictjson.Member[UninstallData] {
			return []strictjson.Member[UninstallData]{
				field("dryRun", "nothing was touched", func(d *UninstallData) *bool { return &d.DryRun }, truth),
				field("clients", "every client that was looked for", func(d *UninstallData) *[]InstalledClient { return &d.Clients }, list(installedClientObject)),
			}
		},
	})
}}
