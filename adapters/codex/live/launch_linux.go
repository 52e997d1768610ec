package live

import (
	"os"
	"strconv"
	"strings"
)

// launchArguments are the arguments of a process; none if they cannot be read.
func launchArguments(pid int) []string {
	if pid == 0 {
		return nil
	}
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}
