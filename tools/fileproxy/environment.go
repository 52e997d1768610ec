package fileproxy

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/tools/worktree"
)

// Proxy is a module proxy made of files, and what go commands need to use it.
type Proxy struct {
	Dir string
	// Cache is a module cache for this proxy alone: the shared one would keep the first packed contents of
	// a version for ever. Clean removes it.
	Cache string
	// Own are patterns of module paths, as in GONOSUMDB, that only this proxy knows.
	Own []string
}

// In gives the proxy that lies in a scratch directory, with a cache beside it, for modules of this
// repository and of others that match own.
func In(scratch string, own ...string) Proxy {
	return Proxy{
		Dir: filepath.Join(scratch, "proxy"), Cache: filepath.Join(scratch, "cache"),
		Own: append([]string{worktree.Prefix + "*"}, own...),
	}
}

// Exports are the settings with which a go command outside of any workspace takes modules from the proxy,
// then from this machine's module cache (so that nothing is fetched twice), then from the proxies of the
// environment, whose private modules stay private.
func (p Proxy) Exports() []string {
	list := []string{fileURL(p.Dir)}
	if dir := goEnv("GOMODCACHE"); dir != "" {
		list = append(list, fileURL(filepath.Join(dir, "cache", "download")))
	}
	if proxies := goEnv("GOPROXY"); proxies != "" {
		list = append(list, proxies)
	}
	unlisted := p.Own
	if private := goEnv("GONOSUMDB"); private != "" { // GOPRIVATE too, unless it is set itself
		unlisted = append(slices.Clone(unlisted), private)
	}
	return []string{
		"GOPROXY=" + strings.Join(list, ","), "GOMODCACHE=" + p.Cache, "GONOSUMDB=" + strings.Join(unlisted, ","), "GOFLAGS=-mod=mod", "GOWORK=off",
	}
}

// Environment is that of this process with the exports.
func (p Proxy) Environment() []string { return append(os.Environ(), p.Exports()...) }

// Clean removes the cache. Its files are read-only; go knows how to remove them.
func (p Proxy) Clean() {
	cmd := exec.Command("go", "clean", "-modcache")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOMODCACHE="+p.Cache)
	cmd.Dir = os.TempDir()
	_ = cmd.Run() // the cache may not exist; litter in the temporary directory fails nothing
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/dir
	}
	return "file://" + path
}
