package view

import "github.com/acc-control-plane/acc/protocol/strictjson"

// ImportedData is the answer of import-js.
type ImportedData struct {
	From                      string
	Contract                  int
	Applied                   bool
	Messages, Receipts, Known int
	Unreadable                []string
}

// Imported is the answer of import-js.
var Imported = &Schema[ImportedData]{name: "imported", doc: "What was taken over from a JavaScript acc, or would be.", data: func() strictjson.Type[ImportedData] {
	return strictjson.Nested(&strictjson.Object[ImportedData]{
		Name: "imported",
		Members: func() []strictjson.Member[ImportedData] {
			return []strictjson.Member[ImportedData]{
				field("from", "the room there", func(d *ImportedData) *string { return &d.From }, word),
				field("contract", "of its store", func(d *ImportedData) *int { return &d.Contract }, count),
				field("applied", "false: it is only said what would come", func(d *ImportedData) *bool { return &d.Applied }, truth),
				field("messages", "taken over", func(d *ImportedData) *int { return &d.Messages }, count),
				field("receipts", "of those messages", func(d *ImportedData) *int { return &d.Receipts }, count),
				field("known", "messages that were here already", func(d *ImportedData) *int { return &d.Known }, count),
				field("unreadable", "files that hold no record as they should", func(d *ImportedData) *[]string { return &d.Unreadable }, lines),
			}
		},
	})
}}
