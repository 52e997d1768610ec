package fsstore

import "github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"

// checksum is the sum that frames carry too, of what is kept beside them.
func checksum(data []byte) uint32 { return frame.Checksum(data) }
