package registry

import (
	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	antigravity "github.com/acc-control-plane/acc/adapters/antigravity/hook"
	claudecode "github.com/acc-control-plane/acc/adapters/claudecode/hook"
	codex "github.com/acc-control-plane/acc/adapters/codex/hook"
	geminicli "github.com/acc-control-plane/acc/adapters/geminicli/hook"
	grok "github.com/acc-control-plane/acc/adapters/grok/hook"
	kimi "github.com/acc-control-plane/acc/adapters/kimi/hook"
)

// Hooks gives the hook side of every adapter of this build.
func Hooks() ([]*adapter.Adapter, error) {
	var adapters []*adapter.Adapter
	for _, seal := range []func() (*adapter.Adapter, error){
		claudecode.New, codex.New, geminicli.New, kimi.New, grok.New, antigravity.New,
	} {
		a, err := seal()
		if err != nil {
			return nil, err
		}
		adapters = append(adapters, a)
	}
	return adapters, nil
}
