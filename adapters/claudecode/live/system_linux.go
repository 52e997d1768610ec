package live

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processStart gives field 22 of /proc/<pid>/stat; os.ErrNotExist if there is no such process, or only
// its remains.
func processStart(pid int) (string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])) // from field 3 on
	if len(fields) < 20 {
		return "", os.ErrInvalid
	}
	if fields[0] == "Z" || fields[0] == "X" {
		return "", os.ErrNotExist
	}
	return fields[19], nil
}

// pidDomain says whether domain, linux:<machine>:pid:[<namespace>], is the namespace of this process.
func pidDomain(domain string) bool {
	own, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	return err == nil && strings.HasSuffix(domain, ":"+own)
}

// launchArguments are the arguments of a process; none if they cannot be read.
func launchArguments(pid int) []string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}
