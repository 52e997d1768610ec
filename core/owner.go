package core

import "github.com/acc-control-plane/acc/protocol"

// NewOwner mints the pair of a session that is yet to be opened, for a caller that must have it on file
// before the session exists.
func (c *Core) NewOwner() Owner {
	return Owner{SessionID: c.ids.NewID(protocol.SessionIDPrefix), Generation: c.ids.NewGeneration()}
}
