package install

import (
	"bytes"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/adapters/geminicli/hook"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// listed is one entry of "gemini extensions list --output-format json".
type listed struct {
	name   string
	active bool
	hooks  *[len(events)]jsontext.Value // of the events, in their order; nil: it has none
}

type listing struct{ extensions []listed }

// listingObject wraps the client's array: strictjson reads objects.
var listingObject = &strictjson.Object[listing]{
	Name: "list",
	Members: func() []strictjson.Member[listing] {
		return []strictjson.Member[listing]{
			strictjson.Field("extensions", "", func(l *listing) *[]listed { return &l.extensions }, strictjson.List(strictjson.Nested(listedObject), 0, 1000)),
		}
	},
}

var listedObject = &strictjson.Object[listed]{
	Name: "extension", Open: true,
	Members: func() []strictjson.Member[listed] {
		return []strictjson.Member[listed]{
			strictjson.Field("name", "", func(l *listed) *string { return &l.name }, strictjson.Text(1000)),
			strictjson.Optional("isActive", "", func(l *listed) *bool { return &l.active }, strictjson.Bool()),
			strictjson.Optional("hooks", "", func(l *listed) **[len(events)]jsontext.Value { return &l.hooks }, strictjson.Pointer(strictjson.Nested(hooksObject()))),
		}
	},
}

func hooksObject() *strictjson.Object[[len(events)]jsontext.Value] {
	type hooks = [len(events)]jsontext.Value
	return &strictjson.Object[hooks]{Name: "hooks", Open: true, Members: func() (members []strictjson.Member[hooks]) {
		for i, e := range events {
			members = append(members, strictjson.Optional(e.name, "", func(h *hooks) *jsontext.Value { return &h[i] }, strictjson.Raw()))
		}
		return members
	}}
}

// List implements installkit.Lister. The client lists what an extension brings, on standard error when
// that is no terminal.
func (client) List(ctx context.Context, m adapter.Machine, d adapter.Detection) (installkit.Listing, error) {
	out, err := m.Run(ctx, adapter.ClientCommand{Path: d.Command, Args: []string{"extensions", "list", "--output-format", "json"}, Stderr: true})
	if err != nil {
		return installkit.Listing{}, err
	}
	i := bytes.IndexByte(out, '[') // warnings may stand in front
	if i < 0 {
		return installkit.Listing{}, protocol.DataError("", "gemini extensions list answered something else than a list")
	}
	answer, err := listingObject.Decode(slices.Concat([]byte(`{"extensions":`), out[i:], []byte(`}`)))
	if err != nil {
		return installkit.Listing{}, protocol.DataError("", "gemini extensions list answered something else than a list").Because(err)
	}
	k := slices.IndexFunc(answer.extensions, func(l listed) bool { return l.name == extension })
	if k < 0 {
		l := wiring(func(int) (adapter.WiringState, string) { return adapter.Refused, "the extension is not listed" })
		l.Problems = []adapter.Problem{{Text: "Gemini CLI does not list the extension " + extension, Remedy: "acc install --adapter " + hook.ID}}
		return l, nil
	}
	found := answer.extensions[k]
	if !found.active {
		l := wiring(func(int) (adapter.WiringState, string) { return adapter.Refused, "the extension is disabled" })
		l.Steps = []string{"enable the extension again: gemini extensions enable " + extension}
		return l, nil
	}
	return wiring(func(i int) (adapter.WiringState, string) {
		if found.hooks == nil || found.hooks[i] == nil {
			return adapter.Unwritten, "Gemini CLI does not list it"
		}
		return adapter.Listed, ""
	}), nil
}

func wiring(of func(i int) (adapter.WiringState, string)) installkit.Listing {
	var l installkit.Listing
	for i, e := range events {
		state, note := of(i)
		l.Hooks = append(l.Hooks, adapter.Wiring{Event: e.name, State: state, Note: note})
	}
	return l
}
