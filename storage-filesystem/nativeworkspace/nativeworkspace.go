// Package nativeworkspace remembers the room of each hooked session, so that a changed directory never
// moves a session to another room. The records carry routing only, never a credential.
package nativeworkspace

import (
	"context"

	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// Session names a hooked session.
type Session struct {
	AdapterID string
	NativeID  string // the client's own session id
}

// Saved is the room a session started in.
type Saved struct {
	Session
	Cwd       string // absolute, canonical: where discovery starts again
	Workspace workspace.Descriptor
}

// Establish resolves the saved room of s, or saves the one found at cwd when none was saved yet and
// create is set. A changed identity is an error: the caller lets the client go on. With create unset
// and nothing saved, found is false.
func Establish(ctx context.Context, home datahome.Home, env datahome.Env, s Session, cwd string, create bool) (saved Saved, found bool, err error) {
	panic("lands with nativeworkspace")
}

// Lookup resolves an acc:// reference to its saved room.
func Lookup(ctx context.Context, home datahome.Home, env datahome.Env, ref string) (Saved, error) {
	panic("lands with nativeworkspace")
}
