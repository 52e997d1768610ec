package main

import (
	"fmt"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// line is what a status line shows. A dot says that the session takes part; the word behind it how messages reach
// it where it cannot be asked to look; "!" that something is not as it was meant.
func (v view) line() string {
	if v.Problem != "" || v.Presence == protocol.Offline {
		return "ACC !"
	}
	if v.Starting {
		return "ACC …"
	}
	text := "ACC ●"
	if v.Failed != "" && v.Reach != wake {
		text = "ACC !"
	}
	if v.Reach != wake {
		text += " · " + string(v.Reach)
	}
	if v.Unread > 0 {
		text += " · " + v.unread() + " unread"
	}
	return text
}

func (v view) unread() string {
	if v.AtLeast {
		return fmt.Sprintf("%d+", v.Unread)
	}
	return fmt.Sprint(v.Unread)
}

// render gives all of standard output.
func (r request) render(v view) string {
	switch {
	case r.json:
		data, err := answers.Append(nil, &answer{v.line(), v})
		if err != nil {
			return "{}\n"
		}
		return string(data) + "\n"
	case r.details:
		return v.details()
	}
	return v.line() + "\n"
}

func (v view) details() string {
	lines := []string{v.line()}
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+printable(value))
		}
	}
	add("problem", v.Problem)
	add("participant", v.ParticipantID)
	add("session", v.SessionID)
	add("presence", string(v.Presence))
	if v.Problem == "" {
		add("messages come", map[reach]string{wake: "at once, if they may wake it", turn: "with the next turn", inbox: "when it looks"}[v.Reach])
		add("not wakeable because", v.Failed)
		add("unread", v.unread())
	}
	return strings.Join(lines, "\n") + "\n"
}

// printable keeps what files may say fit for one line of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// answer is the object of --json.
type answer struct {
	display string
	view
}

func nullable(name, doc string, at func(*answer) *string) strictjson.Member[answer] {
	return strictjson.Field(name, doc, at, strictjson.Nullable(strictjson.Text(4096)))
}

var answers = &strictjson.Object[answer]{
	Name: "indicator", Doc: "What a status line shows, and why.",
	Members: func() []strictjson.Member[answer] {
		return []strictjson.Member[answer]{
			strictjson.Const[answer]("schemaVersion", "always 1", 1),
			strictjson.Field("display", "the line", func(a *answer) *string { return &a.display }, strictjson.Text(200)),
			nullable("sessionId", "of acc", func(a *answer) *string { return &a.SessionID }),
			nullable("participantId", "its participant", func(a *answer) *string { return &a.ParticipantID }),
			strictjson.Field("presence", "of the session", func(a *answer) *protocol.Presence { return &a.Presence },
				strictjson.Nullable(strictjson.Enum(protocol.Online, protocol.Stale, protocol.Offline, protocol.PresenceUnknown))),
			strictjson.Field("reach", "how messages come", func(a *answer) *reach { return &a.Reach }, strictjson.Nullable(strictjson.Enum(wake, turn, inbox))),
			strictjson.Field("leaseCurrent", "the endpoint is vouched for now", func(a *answer) *bool { return &a.LeaseCurrent }, strictjson.Bool()),
			strictjson.Field("unread", "messages", func(a *answer) *int { return &a.Unread }, strictjson.Int(0, 1<<31-1)),
			strictjson.Field("atLeast", "counting stopped there", func(a *answer) *bool { return &a.AtLeast }, strictjson.Bool()),
			nullable("failed", "why it could not be made reachable", func(a *answer) *string { return &a.Failed }),
			nullable("problem", "why nothing is known", func(a *answer) *string { return &a.Problem }),
		}
	},
}
