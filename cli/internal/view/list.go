package view

import "github.com/acc-control-plane/acc/protocol/strictjson"

// Described is a schema as the documentation needs it.
type Described interface {
	Name() string
	Doc() string
	Rows() []strictjson.Row
	JSONSchema() []byte
}

// All lists every answer.
func All() []Described {
	return []Described{
		Status, Sync, History, HistoryMessage, Intent, Claimed, Released, Sent, Asked, Inbox, Mail, Replied, Acknowledged, Receipts,
		Thread, Search, Exported, Finished, Whoami,
		Attached, Heartbeat, Detached,
		Install, Uninstall, Doctor, Migrated, Pruned, Imported, Bundled, Policy,
		Config, Demo, Help, CommandHelp, Text, Version, Update,
	}
}

// FailureRows gives the members of error in the failure envelope.
func FailureRows() []strictjson.Row { return errorObject.Rows() }

// MetaRows gives the members of meta in the success envelope.
func MetaRows() []strictjson.Row { return metaObject.Rows() }
