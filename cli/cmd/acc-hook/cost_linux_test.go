package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What a hook may cost, in numbers that do not depend on how busy the machine is. docs/performance.md
// says how they are measured and where they come from.
const (
	maxCalls      = 125      // system calls beyond those of an empty program
	maxTold       = 150      // likewise where a peer's session, its presence and its process are looked at too
	maxInitAllocs = 125      // before main
	maxInitBytes  = 12 << 10 // as above
	maxBinary     = 8 << 20  // stripped
)

// scheduling are the calls that the scheduler makes as it pleases, and signal set-up, which is the same
// for every program.
const scheduling = "!futex,nanosleep,epoll_pwait,rt_sigaction,rt_sigprocmask,rt_sigreturn,sigaltstack,clone,clone3,gettid,tgkill,getpid," +
	"mmap,munmap,madvise,sched_getaffinity,sched_yield,exit_group,execve,restart_syscall"

// making are the calls that make, replace or take away a name.
var making = regexp.MustCompile(` (mkdir|rename|link|symlink|unlink)(at|at2)?\(|O_EXCL`)

// calls counts the system calls of a process, and of those the ones that open something and that make something.
func calls(t *testing.T, cmd *exec.Cmd) (all, opens, makes int) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	cmd.Args = append([]string{"strace", "-f", "-y", "-qq", "-e", "signal=none", "-e", "trace=" + scheduling, "-o", log}, cmd.Args...)
	cmd.Path, _ = exec.LookPath("strace")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v: %s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, " resumed>") || !strings.Contains(line, "(") {
			continue // the second half of a call that another interrupted
		}
		if strings.Contains(line, "anon_inode:[event") {
			continue // the scheduler wakes itself
		}
		all++
		if strings.Contains(line, " openat") {
			opens++
		}
		if making.MatchString(line) {
			makes++
		}
	}
	return all, opens, makes
}

// TestSystemCalls: with nothing to say a hook asks the system little, and for no new file.
func TestSystemCalls(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	dir := t.TempDir()
	source, empty := filepath.Join(dir, "main.go"), filepath.Join(dir, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", empty, source).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	least, _, _ := calls(t, exec.Command(empty))

	m := newMachine(t)
	c, peer := m.conversation("bob"), m.conversation("ada")
	holder := owner(t, peer.start("startup").context(t))
	m.claim(holder, "file:src/held.go", "porting")
	c.start("startup")
	c.prompt()
	edit := func(file string) string {
		return c.payload("PreToolUse", `"tool_name":"Edit"`, `"tool_input":{"file_path":`+quoted(filepath.Join(m.project, file))+`}`)
	}
	alone := newMachine(t).conversation("solo")
	alone.start("startup")
	for _, tt := range []struct {
		name    string
		who     *conversation
		payload string
		most    int
	}{
		{"alone, prompt", alone, alone.payload("UserPromptSubmit", `"prompt":"x"`), maxCalls},
		{"alone, after a tool", alone, alone.payload("PostToolUse", `"tool_name":"Bash"`), maxCalls},
		{"prompt", c, c.payload("UserPromptSubmit", `"prompt":"x"`), maxTold},
		{"after a tool", c, c.payload("PostToolUse", `"tool_name":"Bash"`), maxTold},
		{"guard, allow", c, edit("src/free.go"), maxCalls},
		{"guard, refuse", c, edit("src/held.go"), maxCalls},
		{"turn end", c, c.payload("Stop"), maxCalls},
	} {
		if out, err := tt.who.command(tt.payload).CombinedOutput(); err != nil { // the first of its kind may have something to make
			t.Fatalf("%s: %v: %s", tt.name, err, out)
		}
		all, opens, makes := calls(t, tt.who.command(tt.payload))
		t.Logf("%s: %d system calls, %d of them opens, beyond the %d of an empty program", tt.name, all-least, opens, least)
		if all-least > tt.most {
			t.Errorf("%s: %d system calls beyond the %d of an empty program, at most %d", tt.name, all-least, least, tt.most)
		}
		if makes > 0 {
			t.Errorf("%s: it makes, replaces or takes away %d names, which is what file systems are slowest at", tt.name, makes)
		}
	}
}

// TestBeforeMain: what is linked in costs little before main, by the count of the runtime itself.
func TestBeforeMain(t *testing.T) {
	cmd := exec.Command(executable, "claude_code")
	cmd.Env = []string{"GODEBUG=inittrace=1", "ACC_DATA_HOME=" + t.TempDir()}
	cmd.Stdin = strings.NewReader("{}")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	bytes, allocs, heaviest, most := 0, 0, "", 0
	for _, line := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`).FindAllStringSubmatch(string(out), -1) {
		b, _ := strconv.Atoi(line[2])
		a, _ := strconv.Atoi(line[3])
		bytes, allocs = bytes+b, allocs+a
		if b > most {
			heaviest, most = line[1], b
		}
	}
	t.Logf("%d bytes, %d allocations; the most, %d bytes, in %s", bytes, allocs, most, heaviest)
	if allocs == 0 {
		t.Fatalf("no trace in %q", out)
	}
	if bytes > maxInitBytes || allocs > maxInitAllocs {
		t.Errorf("%d bytes in %d allocations before main, at most %d in %d", bytes, allocs, maxInitBytes, maxInitAllocs)
	}
}

// TestSize: the executable that a client starts hundreds of times stays small.
func TestSize(t *testing.T) {
	stripped := filepath.Join(t.TempDir(), "acc-hook")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", stripped, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	info, err := os.Stat(stripped)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > maxBinary {
		t.Errorf("%d bytes, at most %d", info.Size(), maxBinary)
	}
}
