package registry

import "github.com/acc-control-plane/acc/adapter-sdk/adapter"

// entry is what one adapter brings. live is nil where a running session cannot be reached.
type entry struct {
	hook func() (*adapter.Adapter, error)
	live func() (*adapter.Live, error)
}

// Hooks gives the hook side of every adapter of this build, joined with its live transport if it has one.
func Hooks() ([]*adapter.Adapter, error) {
	var adapters []*adapter.Adapter
	for _, c := range assembled {
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
