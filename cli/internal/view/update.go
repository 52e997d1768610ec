package view

import (
	"time"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// UpdateOutcome is how far an update came.
type UpdateOutcome string

// The outcomes.
const (
	UpdateCurrent   UpdateOutcome = "current"
	UpdateAvailable UpdateOutcome = "available"
	UpdateDone      UpdateOutcome = "updated"
	UpdateSettings  UpdateOutcome = "settings"
	UpdateAtService UpdateOutcome = "maintenance"
)

// UpdateData is the answer of update.
type UpdateData struct {
	Outcome   UpdateOutcome
	Active    string
	Previous  string
	Latest    string
	Pending   string
	Auto      bool
	Pin       string
	CheckedAt time.Time
	Notice    string
}

// Update is the answer of update.
var Update = &Schema[UpdateData]{name: "update", doc: "Which release is active, and what became of looking for a later one.", data: func() strictjson.Type[UpdateData] {
	return strictjson.Nested(&strictjson.Object[UpdateData]{
		Name: "update",
		Members: func() []strictjson.Member[UpdateData] {
			return []strictjson.Member[UpdateData]{
				field("outcome", "current: there is no later release; available: there is one, and --check does no more than look; updated: a later one became active; settings: they were kept, and nothing was looked for; maintenance: an approved restart of a client's background service is at work, and activates the later release",
					func(d *UpdateData) *UpdateOutcome { return &d.Outcome }, strictjson.Enum(UpdateCurrent, UpdateAvailable, UpdateDone, UpdateSettings, UpdateAtService)),
				field("active", "version that runs", func(d *UpdateData) *string { return &d.Active }, word),
				nullable("previous", "version that ran before this command; null: the same", func(d *UpdateData) *string { return &d.Previous }, word),
				nullable("latest", "version that the registry offers; null: it was not asked", func(d *UpdateData) *string { return &d.Latest }, word),
				nullable("pending", "version that waits to be activated; null: none", func(d *UpdateData) *string { return &d.Pending }, word),
				field("auto", "whether later releases are looked for without being asked", func(d *UpdateData) *bool { return &d.Auto }, truth),
				nullable("pin", "version that updates stay on; null: the newest", func(d *UpdateData) *string { return &d.Pin }, word),
				nullable("checkedAt", "when a later release was last looked for; null: never", func(d *UpdateData) *time.Time { return &d.CheckedAt }, when),
				nullable("notice", "what a person should know; null: nothing", func(d *UpdateData) *string { return &d.Notice }, text),
			}
		},
	})
}}
