package process

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// parseArgs reads what macOS says of a process's arguments, KERN_PROCARGS2 in sys/sysctl.h: the count, the path of the
// executable, padding NULs, the arguments and, beyond the count, the environment. It is here, and not beside its caller,
// because each process chooses these bytes itself and every system's tests should try to break it.
func parseArgs(raw []byte) (exe string, args []string) {
	if len(raw) < 4 {
		return "", nil
	}
	count := int(int32(binary.NativeEndian.Uint32(raw)))
	path, rest, found := bytes.Cut(raw[4:], []byte{0})
	if !found {
		return "", nil
	}
	parts := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if count < 0 || count > len(parts) {
		return string(path), nil
	}
	return string(path), parts[:count]
}
