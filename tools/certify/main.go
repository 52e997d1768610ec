package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "probe" {
		if err := probe(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "certify probe:", err)
		}
		return // a hook that fails must not look like one that refuses
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "certify:", err)
		os.Exit(1)
	}
}

// order is what the command line asks for.
type order struct {
	client, path, version, only string
	write, table, keep          bool
}

func run(ctx context.Context, args []string) error {
	var o order
	flags := flag.NewFlagSet("certify", flag.ContinueOnError)
	flags.StringVar(&o.client, "client", "", "which client: "+names())
	flags.StringVar(&o.path, "path", "", "its executable; installed from npm into the cache if not given")
	flags.StringVar(&o.version, "version", "", "of the client to install; the newest if not given")
	flags.StringVar(&o.only, "only", "", "drive it in one way only: print, terminal or matrix; nothing can be recorded then")
	flags.BoolVar(&o.write, "write", false, "write the evidence into the adapter")
	flags.BoolVar(&o.keep, "keep", false, "leave the directories in which the client ran, and name them")
	flags.BoolVar(&o.table, "table", false, "print what is on record of all clients, and run nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := checkout(ctx)
	if err != nil {
		return err
	}
	if o.table {
		return printTable(os.Stdout, root)
	}
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == o.client })
	if i < 0 {
		return fmt.Errorf("no client %q; there are %s", o.client, names())
	}
	if !slices.Contains([]string{"", printMode, terminalMode, matrixMode}, o.only) {
		return fmt.Errorf("-only takes %s, %s or %s, not %q", printMode, terminalMode, matrixMode, o.only)
	}
	if o.only != "" && o.write {
		return errors.New("-only and -write exclude each other: half of a run is no evidence")
	}
	return o.certify(ctx, clients[i], root)
}

func (o order) certify(ctx context.Context, c client, root string) error {
	path := o.path
	var err error
	if path == "" {
		path, err = c.fetch(ctx, o.version)
	} else {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return err
	}
	bin, err := build(ctx, root)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	v := visit{client: c, path: path, bin: bin, keep: o.keep}
	err = v.all(ctx, o.only)
	found := complete(v.found, c)
	report(c, v.version, found)
	if err != nil {
		return err
	}
	if o.write {
		err = v.writeEvidence(filepath.Join(root, "adapters", c.dir, "hook"), found)
	}
	if slices.ContainsFunc(found, func(f finding) bool { return f.state == failed }) {
		err = errors.Join(err, errors.New("a check failed"))
	}
	return err
}

// visit is one run of this tool with one client.
type visit struct {
	client    client
	path, bin string
	keep      bool   // the directories of its stages
	version   string // as the client says
	found     []finding
	roots     []string // of the stages, whose names must not get into evidence
}

// all drives the client in each way, or in one of them.
func (v *visit) all(ctx context.Context, only string) error {
	ways := []struct {
		mode  string
		drive func(*stage, context.Context) ([]finding, error)
	}{{printMode, (*stage).print}, {terminalMode, (*stage).inTerminal}, {matrixMode, (*stage).matrix}}
	for _, way := range ways {
		if only != "" && only != way.mode {
			continue
		}
		c, label := v.client, way.mode
		if name := c.screen.variant; way.mode == terminalMode && name != "" {
			c, label = c.variants[name](c), way.mode+", "+name
		}
		if err := v.drive(ctx, c, way.mode, label, way.drive); err != nil {
			return err
		}
		if way.mode != printMode {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(v.client.variants)) {
			if err := v.drive(ctx, v.client.variants[name](v.client), way.mode, way.mode+", "+name, way.drive); err != nil {
				return err
			}
		}
	}
	return nil
}

// drive makes a stage of its own and drives the client there.
func (v *visit) drive(ctx context.Context, c client, mode, label string, drive func(*stage, context.Context) ([]finding, error)) error {
	s, err := newStage(ctx, c, mode, v.path, v.bin)
	if s != nil {
		s.keep = v.keep
		defer s.close()
		v.roots = append(v.roots, s.root)
	}
	if err != nil {
		return err
	}
	v.version, s.mode = s.version, label
	found, err := drive(s, ctx)
	v.found = append(v.found, found...)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", c.name, label, err)
	}
	return nil
}

// report prints one line for each check and way of driving.
func report(c client, version string, found []finding) {
	fmt.Printf("%s %s\n", c.name, version)
	for _, check := range allChecks() {
		for _, f := range found {
			if f.check != check {
				continue
			}
			saw := f.saw
			if f.state == failed {
				saw = "not: " + saw
			}
			fmt.Printf("  %-8s %-28s %-18s %s\n", f.state, f.check, f.mode, saw)
		}
	}
}

func names() string {
	var all []string
	for _, c := range clients {
		all = append(all, c.name)
	}
	return strings.Join(all, ", ")
}

// checkout is the root of this work tree.
func checkout(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOWORK").Output()
	if err != nil {
		return "", err
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// build builds acc's executables.
func build(ctx context.Context, root string) (string, error) {
	dir, err := os.MkdirTemp("", "acc-certify-bin-")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), "./cli/cmd/...")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
}
