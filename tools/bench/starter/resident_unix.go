//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// resident is the most memory that the process held, in KiB.
func resident(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) >> 10 // bytes there
	}
	return int64(usage.Maxrss)
}
