package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/tools/release/builder"
	"github.com/acc-control-plane/acc/tools/worktree"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "release:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	o := builder.Options{Log: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	var platforms, sign, trust list
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.Version, "version", "", "version of the release, x.y.z")
	flags.StringVar(&o.Name, "name", "", "name of the npm package")
	flags.StringVar(&o.Registry, "registry", "", "URL of the npm registry that it will be published to")
	flags.StringVar(&o.Out, "out", "", "empty directory to write the release to")
	flags.StringVar(&o.Commit, "commit", "", "revision of the sources; without it Git is asked, if the work tree is as committed")
	flags.Var(&platforms, "platform", "build for this platform; repeat it for several; without it for every one")
	flags.Var(&sign, "sign", "file of a minisign secret key that signs; repeat it for a change of keys")
	flags.Var(&trust, "trust", "public key that the release trusts besides the ones that sign it; repeat it for several")
	password := flags.String("password-file", "", "file that holds the password of the secret keys")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.Out == "" || flags.NArg() > 0 {
		return errors.New("-out names the directory; everything else is given by options, see -help")
	}
	var err error
	if o.Root, err = worktree.FindRoot("."); err != nil {
		return err
	}
	if o.Platforms, err = selected(platforms); err != nil {
		return err
	}
	if o.Keys, err = secretKeys(sign, *password); err != nil {
		return err
	}
	for _, text := range trust {
		var key minisign.PublicKey
		if err := key.UnmarshalText([]byte(text)); err != nil {
			return fmt.Errorf("-trust %s: %w", text, err)
		}
		o.Trust = append(o.Trust, key)
	}
	if o.Commit == "" {
		if o.Commit, err = committed(ctx, o.Root); err != nil {
			return err
		}
	}
	return builder.Build(ctx, o)
}

// list is an option that may be given several times.
type list []string

// String implements flag.Value.
func (l *list) String() string { return strings.Join(*l, " ") }

// Set implements flag.Value.
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

func selected(names []string) ([]release.Platform, error) {
	if len(names) == 0 {
		return release.Platforms, nil
	}
	var chosen []release.Platform
	for _, name := range names {
		i := slices.IndexFunc(release.Platforms, func(p release.Platform) bool { return p.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no release is built for %q", name)
		}
		chosen = append(chosen, release.Platforms[i])
	}
	return chosen, nil
}

func secretKeys(paths []string, passwordFile string) ([]minisign.PrivateKey, error) {
	var password []byte
	if passwordFile != "" {
		var err error
		if password, err = os.ReadFile(passwordFile); err != nil {
			return nil, err
		}
	}
	var keys []minisign.PrivateKey
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var key minisign.PrivateKey
		if minisign.IsEncrypted(text) {
			key, err = minisign.DecryptKey(strings.TrimRight(string(password), "\r\n"), text)
		} else {
			err = key.UnmarshalText(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// committed gives the revision of the work tree; "" where it differs from it, since nobody could build the
// same again.
func committed(ctx context.Context, root string) (string, error) {
	changes, err := exec.CommandContext(ctx, "git", "-C", root, "status", "--porcelain").Output()
	if err != nil {
		return "", fmt.Errorf("git status: %w", err)
	}
	if len(bytes.TrimSpace(changes)) > 0 {
		fmt.Fprintln(os.Stderr, "note: the work tree differs from what is committed, so no revision is recorded")
		return "", nil
	}
	revision, err := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse: %w", err)
	}
	return strings.TrimSpace(string(revision)), nil
}
