package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "certify:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("certify", flag.ContinueOnError)
	name := flags.String("client", "claude-code", "which client: "+names())
	path := flags.String("path", "", "its executable; looked for on PATH if not given")
	write := flags.Bool("write", false, "write the evidence into the adapter")
	if err := flags.Parse(args); err != nil {
		return err
	}
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == *name })
	if i < 0 {
		return fmt.Errorf("no client %q; there are %s", *name, names())
	}
	c := clients[i]
	executable, err := find(c, *path)
	if err != nil {
		return err
	}
	root, err := checkout(ctx)
	if err != nil {
		return err
	}
	bin, err := build(ctx, root)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	s, err := newStage(ctx, c, executable, bin)
	if s != nil {
		defer s.close()
	}
	if err != nil {
		return err
	}
	found, err := s.certify(ctx)
	report(s, found)
	if err != nil {
		return err
	}
	if *write {
		err = s.writeEvidence(filepath.Join(root, "adapters", c.dir, "hook"), found)
	}
	if slices.ContainsFunc(found, func(f finding) bool { return !f.passed }) {
		err = errors.Join(err, errors.New("a check failed"))
	}
	return err
}

// report prints one line for each capability; one that was not tried is said to be skipped.
func report(s *stage, found []finding) {
	fmt.Printf("%s %s\n", s.client.name, s.version)
	for _, capability := range certification.Capabilities {
		i := slices.IndexFunc(found, func(f finding) bool { return f.capability == capability })
		switch {
		case i < 0:
			fmt.Printf("  skipped  %s\n", capability)
		case found[i].passed:
			fmt.Printf("  passed   %-28s %s\n", capability, found[i].saw)
		default:
			fmt.Printf("  FAILED   %-28s not: %s\n", capability, found[i].saw)
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

func find(c client, path string) (string, error) {
	if path == "" {
		path = c.command
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("%w; install it from npm (%s) and name it with -path", err, c.packages)
	}
	return filepath.Abs(found)
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
