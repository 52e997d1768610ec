package install

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapters/codex/hook"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// listed is what the client says of one hook.
type listed struct {
	event   string // preToolUse
	command string
	source  string // path of the file
	enabled bool
	trust   string // managed, trusted, untrusted, modified
}

type room struct {
	hooks    []listed
	warnings []string
}

type answer struct{ rooms []room }

type reply struct {
	id     int
	result *answer
}

var hookObject = &strictjson.Object[listed]{
	Name: "hook", Open: true,
	Members: func() []strictjson.Member[listed] {
		return []strictjson.Member[listed]{
			strictjson.Field("eventName", "", func(l *listed) *string { return &l.event }, strictjson.Text(200)),
			strictjson.Optional("command", "", func(l *listed) *string { return &l.command }, strictjson.Nullable(strictjson.Text(1<<16))),
			strictjson.Optional("sourcePath", "", func(l *listed) *string { return &l.source }, strictjson.Nullable(strictjson.Text(4096))),
			strictjson.Optional("enabled", "", func(l *listed) *bool { return &l.enabled }, strictjson.Bool()),
			strictjson.Optional("trustStatus", "", func(l *listed) *string { return &l.trust }, strictjson.Nullable(strictjson.Text(200))),
		}
	},
}

var replyObject = &strictjson.Object[reply]{
	Name: "reply", Open: true,
	Members: func() []strictjson.Member[reply] {
		return []strictjson.Member[reply]{
			strictjson.Field("id", "", func(r *reply) *int { return &r.id }, strictjson.Int(0, 1<<30)),
			strictjson.Optional("result", "", func(r *reply) **answer { return &r.result }, strictjson.Pointer(strictjson.Nested(&strictjson.Object[answer]{
				Name: "answer", Open: true,
				Members: func() []strictjson.Member[answer] {
					return []strictjson.Member[answer]{
						strictjson.Field("data", "", func(a *answer) *[]room { return &a.rooms }, strictjson.List(strictjson.Nested(&strictjson.Object[room]{
							Name: "directory", Open: true,
							Members: func() []strictjson.Member[room] {
								return []strictjson.Member[room]{
									strictjson.Field("hooks", "", func(r *room) *[]listed { return &r.hooks }, strictjson.List(strictjson.Nested(hookObject), 0, 10_000)),
									strictjson.Optional("warnings", "", func(r *room) *[]string { return &r.warnings }, strictjson.List(strictjson.Text(1<<16), 0, 1000)),
								}
							},
						}), 0, 100)),
					}
				},
			}))),
		}
	},
}

// listID marks the request in a conversation with the client's app server. The server ends with its
// input, so it stays open until this answer is there. No thread is started.
const listID = 1

// List implements installkit.Lister: which of acc's hooks the client found, and which the user trusts.
func (client) List(ctx context.Context, m adapter.Machine, d adapter.Detection) (installkit.Listing, error) {
	out, err := m.Run(ctx, adapter.ClientCommand{
		Path: d.Command, Args: []string{"app-server"},
		Input: []byte(`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"acc","version":` + installkit.Quote(m.Version) + `}}}` + "\n" +
			`{"method":"initialized"}` + "\n" +
			`{"id":1,"method":"hooks/list","params":{"cwds":[` + installkit.Quote(m.Home) + `]}}` + "\n"),
		Until: `"id":1,`,
	})
	if err != nil {
		return installkit.Listing{}, err
	}
	command, err := installkit.HookCommand(m, hook.ID, "")
	if err != nil {
		return installkit.Listing{}, err
	}
	for line := range strings.Lines(string(out)) {
		r, err := replyObject.Decode([]byte(line))
		if err == nil && r.id == listID && r.result != nil && len(r.result.rooms) == 1 {
			return judge(r.result.rooms[0], hooksPath(d), command), nil
		}
	}
	return installkit.Listing{}, protocol.DataError("", "codex app-server gave no list of hooks")
}

// judge turns the client's list into what it means for acc's hooks.
func judge(r room, path, command string) installkit.Listing {
	var l installkit.Listing
	untrusted := false
	for _, e := range events {
		w := adapter.Wiring{Event: e.name, State: adapter.Unwritten, Note: "Codex does not list it"}
		for _, h := range r.hooks {
			if !strings.EqualFold(h.event, e.name) || h.command != command || !samePath(h.source, path) {
				continue
			}
			switch {
			case !h.enabled:
				w.State, w.Note = adapter.Refused, "disabled in Codex"
			case h.trust == "trusted" || h.trust == "managed":
				w.State, w.Note = adapter.Listed, ""
			case h.trust == "modified":
				w.State, w.Note = adapter.Refused, "trusted in another form; Codex wants it reviewed again"
			default:
				w.State, w.Note = adapter.Refused, "not trusted yet"
			}
			untrusted = untrusted || w.State == adapter.Refused
		}
		l.Hooks = append(l.Hooks, w)
	}
	if untrusted {
		l.Steps = append(l.Steps, `open Codex, choose "Review hooks" and trust the hooks that run `+command)
	}
	for _, warning := range r.warnings {
		if strings.Contains(warning, filepath.Base(path)) {
			l.Problems = append(l.Problems, adapter.Problem{Text: "Codex: " + warning, Remedy: "mend " + path})
		}
	}
	return l
}

// samePath compares paths of which one may have been reached through a link.
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	left, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	right, err := filepath.EvalSymlinks(b)
	return err == nil && left == right
}
