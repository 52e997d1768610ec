package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// What lies below acc: the same executables with all that they link, of which nothing runs but the start and, in some
// rows, the same files read once each and seen to be JSON. No change to what acc does with what it reads goes below that.

//go:embed below.go.txt
var belowSource string

// floors are the executables that end before their first line.
type floors struct{ acc, hook string }

// buildFloors puts the floor's first line into main of copies of acc and acc-hook.
func buildFloors(ctx context.Context, dir string) (floors, error) {
	root, err := worktree(ctx)
	if err != nil {
		return floors{}, err
	}
	dir = filepath.Join(dir, "below")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return floors{}, err
	}
	f := floors{acc: filepath.Join(dir, "acc"), hook: filepath.Join(dir, "acc-hook")}
	for to, command := range map[string]string{f.acc: "acc", f.hook: "acc-hook"} {
		overlay, err := overlaid(root, dir, command)
		if err != nil {
			return floors{}, err
		}
		if err := goBuild(ctx, root, to, "./cli/cmd/"+command, "-overlay="+overlay); err != nil {
			return floors{}, err
		}
	}
	return f, nil
}

// overlaid writes what replaces the sources of a command, and the list of it.
func overlaid(root, dir, command string) (overlay string, err error) {
	original := filepath.Join(root, "cli", "cmd", command, "main.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const main = "func main() {\n"
	early := strings.Replace(string(source), main, main+"\tif below() {\n\t\treturn\n\t}\n", 1)
	if early == string(source) {
		return "", fmt.Errorf("%s has no %q", original, main)
	}
	below := belowSource
	if runtime.GOOS != "linux" { // the others have one flush
		below = strings.ReplaceAll(below, "syscall.Fdatasync", "syscall.Fsync")
	}
	replaced := map[string]string{}
	for name, text := range map[string]string{"main.go": early, "below.go": below} {
		file := filepath.Join(dir, command+"-"+name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
		replaced[filepath.Join(filepath.Dir(original), name)] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, command+".json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// measureFloors measures what lies below the cases. Without strace it is not known which files a case looks at, and
// only what is linked is measured; on Windows nothing is.
func (b *bench) measureFloors(ctx context.Context, dir string) (rows []measured, err error) {
	if runtime.GOOS == "windows" {
		return nil, nil
	}
	f, err := buildFloors(ctx, dir)
	if err != nil {
		return nil, err
	}
	measure := func(name, program string, steps ...string) error {
		progress(name)
		row, err := b.measure(ctx, testCase{name: name, silent: true, task: func(m *machine) task {
			return task{program: program, args: steps, env: m.environment(), dir: m.project, stdin: m.prompt()}
		}}, b.young)
		rows = append(rows, row)
		return err
	}
	for _, program := range []struct{ name, path, cases string }{{"acc-hook", f.hook, "hook,"}, {"acc", f.acc, "acc "}} {
		if err := measure("`"+program.name+"`, linked", program.path); err != nil {
			return nil, err
		}
		for _, c := range pairs {
			if (c.most == bound{}) || !strings.HasPrefix(c.name, program.cases) {
				continue
			}
			steps, err := b.looksAt(ctx, dir, c)
			if err != nil {
				return nil, err
			}
			if steps == nil {
				continue
			}
			if err := measure(fmt.Sprintf("and %d files read, of: %s", len(steps)-1, c.name), program.path, steps...); err != nil {
				return nil, err
			}
			rows[len(rows)-1].most = c.most
		}
	}
	return rows, nil
}

var opened = regexp.MustCompile(`open(?:at|at2)?\(.* = \d+<(/[^<>]+)>$`)

// looksAt gives the steps that look at each regular file once that a case opens, and write over those that it writes;
// nil without strace.
func (b *bench) looksAt(ctx context.Context, dir string, c testCase) (steps []string, err error) {
	err = c.around(ctx, b.young, func() error {
		lines, known, err := trace(ctx, dir, c.task(b.young), "-y", "-z", "-e", "trace=open,openat,openat2")
		if err != nil || !known {
			return err
		}
		steps = []string{"read="} // the payload
		for line := range strings.Lines(lines) {
			if step := stepOf(strings.TrimSpace(line)); step != "" && !slices.Contains(steps, step) {
				steps = append(steps, step)
			}
		}
		if c.flushes > 0 {
			steps = append(steps, "flush="+b.raw.Name())
		}
		return nil
	})
	return steps, err
}

// stepOf gives the step for a line of strace; empty: it opens nothing that is there after the case.
func stepOf(line string) string {
	found := opened.FindStringSubmatch(line)
	if found == nil || strings.HasPrefix(found[1], "/sys/") || strings.HasPrefix(found[1], "/proc/self/") {
		return ""
	}
	info, err := os.Lstat(found[1])
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if strings.Contains(line, "O_RDWR") && info.Size() <= 4096 {
		return "over=" + found[1]
	}
	return "read=" + found[1]
}

// filesOfSend is how many files a send makes, counted by strace over 32 of them: the message, its receipt, and on average
// two pages of the indexes.
const filesOfSend = 4

// filed gives how often a second a frame is appended and flushed and so many files are made with a name of their own,
// which is what the store's layout asks of the file system for a send. It is that of the median: a few of these take the
// disk a thousand times as long.
func (b *bench) filed(dir string, files int, span time.Duration) (float64, error) {
	place := filepath.Join(dir, "filed")
	if err := os.Mkdir(place, 0o700); err != nil {
		return 0, err
	}
	record := make([]byte, 700)
	var took []time.Duration
	for began := time.Now(); time.Since(began) < span; {
		started := time.Now()
		if _, err := b.raw.flush(); err != nil {
			return 0, err
		}
		for i := range files {
			name := filepath.Join(place, fmt.Sprintf("%08d-%d", len(took), i))
			if err := os.WriteFile(name+".new", record, 0o600); err != nil {
				return 0, err
			}
			if err := os.Rename(name+".new", name); err != nil {
				return 0, err
			}
		}
		took = append(took, time.Since(started))
	}
	return float64(time.Second) / float64(median(took)), nil
}
