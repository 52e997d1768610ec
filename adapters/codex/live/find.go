package live

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/hookkit"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// maxLooked bounds how many of the server's threads are looked at.
const maxLooked = 32

// Find implements adapter.Finder. The client tells its hooks of a terminal only with the first prompt; its server
// knows the thread before.
func (daemon) Find(ctx context.Context, env func(string) string) []adapter.Found {
	home := HomeOf(env)
	if home == "" || runtime.GOOS == "windows" {
		return nil
	}
	path, err := controlSocket(home)
	if err != nil {
		return nil
	}
	srv, err := connect(ctx, path)
	if err != nil {
		return nil
	}
	defer srv.close()
	ids, err := srv.loaded()
	if err != nil {
		return nil
	}
	var found []adapter.Found
	trusted := map[string]bool{}
	for _, id := range ids[:min(len(ids), maxLooked)] {
		t, err := srv.read(id)
		if err != nil || !t.untouched() {
			continue
		}
		runs, asked := trusted[t.Cwd]
		if !asked {
			runs = srv.trusts(t.Cwd)
			trusted[t.Cwd] = runs
		}
		if runs {
			found = append(found, adapter.Found{SessionID: t.ID, Cwd: t.Cwd, ClientVersion: srv.version})
		}
	}
	return found
}

// HomeOf is the client's home; "" is none.
func HomeOf(env func(string) string) string {
	home := env(envCodexHome)
	if home == "" && env(envHome) != "" {
		home = filepath.Join(env(envHome), ".codex")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// untouched says whether a person opened the thread and nobody has said anything in it yet.
func (t thread) untouched() bool {
	return t.Status.Type == "idle" && hookkit.Word(t.Source) == "user" && string(t.Preview) == `""` && absent(t.Parent) && absent(t.Attached)
}

func absent(v []byte) bool { return len(v) == 0 || string(v) == "null" }

// loadedThreads is the answer to thread/loaded/list.
type loadedThreads struct{ IDs []string }

// loadedLists and hookLists are made at their first use: hooks link this package and never ask.
var loadedLists = sync.OnceValue(func() *strictjson.Object[loadedThreads] {
	return &strictjson.Object[loadedThreads]{
		Name: "thread/loaded/list", Open: true, MaxBytes: maxMessage,
		Members: func() []strictjson.Member[loadedThreads] {
			return []strictjson.Member[loadedThreads]{
				strictjson.Field("data", "", func(l *loadedThreads) *[]string { return &l.IDs }, strictjson.List(strictjson.Line(maxWord), 0, 10_000)),
			}
		},
	}
})

// loaded gives the threads that the server holds.
func (s *server) loaded() ([]string, error) {
	result, err := s.call("thread/loaded/list", "{}")
	if err != nil {
		return nil, err
	}
	l, err := loadedLists().Decode(result)
	return l.IDs, err
}

// hookState is what the server says of one hook; see testdata/hooks-list.json.
type hookState struct {
	Event, Command, Trust string
	Enabled               bool
}

type (
	hookGroup struct{ Hooks []hookState }
	hookList  struct{ Groups []hookGroup }
)

var hookLists = sync.OnceValue(func() *strictjson.Object[hookList] {
	return &strictjson.Object[hookList]{
		Name: "hooks/list", Open: true, MaxBytes: maxMessage,
		Members: func() []strictjson.Member[hookList] {
			return []strictjson.Member[hookList]{
				strictjson.Field("data", "", func(l *hookList) *[]hookGroup { return &l.Groups }, strictjson.List(strictjson.Nested(&strictjson.Object[hookGroup]{
					Name: "group", Open: true, MaxBytes: maxMessage,
					Members: func() []strictjson.Member[hookGroup] {
						return []strictjson.Member[hookGroup]{
							strictjson.Field("hooks", "", func(g *hookGroup) *[]hookState { return &g.Hooks }, strictjson.List(strictjson.Nested(&strictjson.Object[hookState]{
								Name: "hook", Open: true, MaxBytes: maxMessage,
								Members: func() []strictjson.Member[hookState] {
									return []strictjson.Member[hookState]{
										strictjson.Field("eventName", "", func(h *hookState) *string { return &h.Event }, strictjson.Text(maxWord)),
										strictjson.Optional("command", "", func(h *hookState) *string { return &h.Command }, strictjson.Nullable(strictjson.Text(maxMessage))),
										strictjson.Optional("trustStatus", "", func(h *hookState) *string { return &h.Trust }, strictjson.Text(maxWord)),
										strictjson.Optional("enabled", "", func(h *hookState) *bool { return &h.Enabled }, strictjson.Bool()),
									}
								},
							}), 0, 10_000)),
						}
					},
				}), 0, 1_000)),
			}
		},
	}
})

// trusts says whether the client will run acc's hooks in a directory: both that tell of a prompt are enabled, and
// the person trusts them.
func (s *server) trusts(cwd string) bool {
	const head = `{"cwds":[`
	quoted := object("", cwd)
	result, err := s.call("hooks/list", head+quoted[len(`{"":`):len(quoted)-1]+`]}`)
	if err != nil {
		return false
	}
	list, err := hookLists().Decode(result)
	if err != nil {
		return false
	}
	runs := map[string]bool{}
	for _, g := range list.Groups {
		for _, h := range g.Hooks {
			if strings.Contains(h.Command, "acc-hook") && h.Enabled && (h.Trust == "trusted" || h.Trust == "managed") {
				runs[h.Event] = true
			}
		}
	}
	return runs["sessionStart"] && runs["userPromptSubmit"]
}
