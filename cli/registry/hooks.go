package registry

import (
	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	claudecode "github.com/acc-control-plane/acc/adapters/claudecode/hook"
)

// Hooks gives the hook side of every adapter of this build.
func Hooks() ([]*adapter.Adapter, error) {
	var adapters []*adapter.Adapter
	for _, seal := range []func() (*adapter.Adapter, error){
		claudecode.New,
	} {
		a, err := seal()
		if err != nil {
			return nil, err
		}
		adapters = append(adapters, a)
	}
	return adapters, nil
}
