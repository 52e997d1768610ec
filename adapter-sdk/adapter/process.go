package adapter

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Process is what is known of one process on the way from a hook to the root of the process tree.
type Process struct {
	PID  int
	Name string   // basename of the executable or command name
	Args []string // may be empty where they may not be read
}

// Ancestry is the way from a hook to the root of the process tree. To look a process up costs a few
// system calls, and more to say what it runs, so neither is done before it is asked for.
type Ancestry interface {
	// Includes says whether pid is on the way.
	Includes(pid int) bool
	// All gives them, nearest first.
	All() iter.Seq[Process]
}

// Ancestors is an Ancestry that is known already.
type Ancestors []Process

// Includes implements Ancestry.
func (a Ancestors) Includes(pid int) bool {
	return slices.ContainsFunc(a, func(p Process) bool { return p.PID == pid })
}

// All implements Ancestry.
func (a Ancestors) All() iter.Seq[Process] { return slices.Values(a) }

// ClientPID finds the client among the ancestors of the hook: the one that the client's own variable
// names, else the nearest that the client recognises as its own. 0 means unknown. A variable that names
// a process that is no ancestor was inherited and does not count.
func (a *Adapter) ClientPID(lookup func(string) string, ancestors Ancestry) int {
	if a.pidVariable != "" {
		pid, err := strconv.Atoi(a.Environment(lookup)(a.pidVariable))
		if err == nil && pid > 1 && ancestors.Includes(pid) {
			return pid
		}
	}
	r, ok := a.client.(ProcessRecogniser)
	if !ok {
		return 0
	}
	for p := range ancestors.All() {
		switch r.Recognise(p) {
		case ClientProcess:
			return p.PID
		case SharedProcess:
			return 0
		}
	}
	return 0
}

// Runs recognises a client by RunsCommand, for clients with a process of their own per conversation.
func Runs(p Process, command string, scripts ...string) Recognition {
	if RunsCommand(p, command, scripts...) {
		return ClientProcess
	}
	return NotClient
}

// RunsCommand says whether p is the executable named command, or a JavaScript runtime that runs a
// script of one of the given names. Endings .exe, .js, .mjs and .cjs and the case of letters do not
// count: package managers link native binaries under names with .exe on every platform.
func RunsCommand(p Process, command string, scripts ...string) bool {
	name := stem(p.Name)
	if name == strings.ToLower(command) {
		return true
	}
	if name != "node" && name != "bun" && name != "deno" {
		return false
	}
	for _, arg := range p.Args[min(1, len(p.Args)):] {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		script := stem(arg)
		for _, want := range append(scripts, command) {
			if script == strings.ToLower(want) {
				return true
			}
		}
		return false // only the first argument that is no option is the script
	}
	return false
}

func stem(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	base = strings.ToLower(base)
	for _, ext := range []string{".exe", ".js", ".mjs", ".cjs"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}
