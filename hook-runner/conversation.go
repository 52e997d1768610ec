package hookrunner

import (
	"context"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// OwnerOf gives the owner pair that the hooks of a client's conversation have on file in its room, for
// who serves the same conversation by another way. Its session need not be open.
func OwnerOf(_ context.Context, r *room.Room, adapterID, nativeID string) (owner core.Owner, found bool, err error) {
	return newOwnerFiles(r.FS, r.Home.Root, r.Dir, nativeworkspace.Session{AdapterID: adapterID, NativeID: nativeID}).owner()
}
