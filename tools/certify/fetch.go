package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// source is where a client comes from.
type source struct {
	packages   []string // of npm; the first is the client, with what it needs after it
	executable string   // below node_modules
}

// platformOfNode is how npm's packages call this machine.
func platformOfNode() string { return certification.Platform(runtime.GOOS, runtime.GOARCH) }

// cache is where this tool keeps a client that it installed.
func (c client) cache() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "acc-tools", "clients", c.name), err
}

// fetchLimit is how long npm may take.
const fetchLimit = 10 * time.Minute

// fetch installs the client into the cache, unless the wanted version is there, and gives its executable.
// version is "" for the newest, which is asked for each time. What an installation writes into a home goes
// into the cache too.
func (c client) fetch(ctx context.Context, version string) (string, error) {
	dir, err := c.cache()
	if err != nil {
		return "", err
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("%w; install Node.js, or name the client with -path", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	wanted := append([]string(nil), c.source.packages...)
	if version != "" {
		wanted[0] += "@" + version
	} else {
		wanted[0] += "@latest"
	}
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund"}, wanted...)...)
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	cmd.Env = append(os.Environ(), "HOME="+dir, "GROK_HOME="+filepath.Join(dir, ".grok"), "npm_config_userconfig="+filepath.Join(home, ".npmrc"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s: %w\n%s", strings.Join(wanted, " "), err, out)
	}
	return filepath.Join(dir, "node_modules", filepath.FromSlash(c.source.executable)), nil
}

// here says where the client is on this machine without installing anything: on PATH or in the cache; ""
// is nowhere.
func (c client) here() string {
	if path, err := exec.LookPath(c.command); err == nil {
		return path
	}
	if dir, err := c.cache(); err == nil {
		path := filepath.Join(dir, "node_modules", filepath.FromSlash(c.source.executable))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}
