package registry

import (
	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	antigravity "github.com/acc-control-plane/acc/adapters/antigravity/hook"
	claudecode "github.com/acc-control-plane/acc/adapters/claudecode/hook"
	claudecodelive "github.com/acc-control-plane/acc/adapters/claudecode/live"
	codex "github.com/acc-control-plane/acc/adapters/codex/hook"
	codexlive "github.com/acc-control-plane/acc/adapters/codex/live"
	geminicli "github.com/acc-control-plane/acc/adapters/geminicli/hook"
	grok "github.com/acc-control-plane/acc/adapters/grok/hook"
	kimi "github.com/acc-control-plane/acc/adapters/kimi/hook"
)

// clients are the adapters of this build. live is nil where a running session cannot be reached.
var clients = []struct {
	hook func() (*adapter.Adapter, error)
	live func() (*adapter.Live, error)
}{
	{claudecode.New, claudecodelive.New},
	{codex.New, codexlive.New},
	{geminicli.New, nil},
	{kimi.New, nil},
	{grok.New, nil},
	{antigravity.New, nil},
}

// Hooks gives the hook side of every adapter of this build, joined with its live transport if it has one.
func Hooks() ([]*adapter.Adapter, error) {
	var adapters []*adapter.Adapter
	for _, c := range clients {
		a, err := c.hook()
		if err != nil {
			return nil, err
		}
		if c.live != nil {
			l, err := c.live()
			if err != nil {
				return nil, err
			}
			if a, err = a.Join(l); err != nil {
				return nil, err
			}
		}
		adapters = append(adapters, a)
	}
	return adapters, nil
}

// Lives gives the live transports of this build.
func Lives() ([]*adapter.Live, error) {
	adapters, err := Hooks()
	var lives []*adapter.Live
	for _, a := range adapters {
		if l := a.Live(); l != nil {
			lives = append(lives, l)
		}
	}
	return lives, err
}
