package installkit

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// probeVariable sets how many milliseconds a version probe may take.
const (
	probeVariable = "ACC_PROBE_TIMEOUT_MS"
	probeDefault  = 3 * time.Second
	probeMost     = time.Minute
)

// Search says how a client is found.
type Search struct {
	Command      string   // its command
	RootVariable string   // environment variable that moves its configuration; ""; none
	RootDefault  string   // below the home directory
	Evidence     []string // paths below the root, one of which shows that the client was used; none: the root itself
	Packages     []string // names that its package.json may carry, when a package manager installed it
	VersionArgs  []string // that make the command print its version
}

// Find looks for a client: its command on PATH, its configuration, and its version from the files of
// the package that the command belongs to, else by asking the command.
func Find(ctx context.Context, m adapter.Machine, s Search) (adapter.Detection, error) {
	d := adapter.Detection{Root: filepath.Join(m.Home, filepath.FromSlash(s.RootDefault))}
	if s.RootVariable != "" {
		if root := m.Env(s.RootVariable); root != "" {
			if !filepath.IsAbs(root) {
				return d, protocol.UsageError("", s.RootVariable+" is not an absolute path: "+strconv.Quote(root))
			}
			d.Root = filepath.Clean(root)
		}
	}
	if m.LookPath != nil {
		d.Command = m.LookPath(s.Command)
	}
	d.Present = d.Command != "" || used(d.Root, s.Evidence)
	switch {
	case !d.Present:
		d.Reason = s.Command + " is not on PATH and " + d.Root + " is not there"
		if len(s.Evidence) > 0 && used(d.Root, nil) {
			d.Reason = s.Command + " is not on PATH and " + d.Root + " holds nothing of it"
		}
		return d, nil
	case d.Command == "":
		d.Reason = "the version is unknown because " + s.Command + " is not on PATH"
		return d, nil
	}
	if d.Version = PackageVersion(d.Command, s.Packages...); d.Version != "" {
		return d, nil
	}
	if m.Run == nil {
		d.Reason = "the version is unknown because the client was not asked"
		return d, nil
	}
	out, err := Ask(ctx, m, adapter.ClientCommand{Path: d.Command, Args: s.VersionArgs})
	if err != nil {
		d.Reason = "the version is unknown: " + err.Error()
		return d, nil
	}
	if d.Version = firstVersion(string(out)); d.Version == "" {
		d.Reason = "the version is unknown: the client printed none"
	}
	return d, nil
}

func used(root string, evidence []string) bool {
	if len(evidence) == 0 {
		evidence = []string{"."}
	}
	for _, name := range evidence {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return false
}

// Ask starts a client's command with the time that a probe may take: ACC_PROBE_TIMEOUT_MS milliseconds,
// 3 seconds unless it is set.
func Ask(ctx context.Context, m adapter.Machine, c adapter.ClientCommand) ([]byte, error) {
	limit := probeDefault
	if ms, err := strconv.Atoi(m.Env(probeVariable)); err == nil && ms > 0 {
		limit = min(time.Duration(ms)*time.Millisecond, probeMost)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return m.Run(ctx, c)
}

var versionPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bv?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?\b`)
})

// firstVersion finds a version in what a client prints; some put a v before it.
func firstVersion(text string) string {
	return strings.TrimPrefix(versionPattern().FindString(text), "v")
}

// platformSuffix is what some vendors put behind the version of a platform's own package.
var platformSuffix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-(linux|darwin|win32)-(x64|arm64)$`)
})

// packageFile is what is read of a package.json.
type packageFile struct{ name, version string }

var packageObject = &strictjson.Object[packageFile]{
	Name: "package", Open: true,
	Members: func() []strictjson.Member[packageFile] {
		return []strictjson.Member[packageFile]{
			strictjson.Optional("name", "", func(p *packageFile) *string { return &p.name }, strictjson.Text(300)),
			strictjson.Optional("version", "", func(p *packageFile) *string { return &p.version }, strictjson.Text(100)),
		}
	},
}

// PackageVersion gives the version of the package of one of the given names that the executable at path
// belongs to; "" if it belongs to none.
func PackageVersion(path string, names ...string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	dir := filepath.Dir(real)
	for range 5 {
		data, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil && len(data) <= userfile.MaxBytes {
			if p, err := packageObject.Decode(data); err == nil {
				version := platformSuffix().ReplaceAllString(p.version, "")
				if slices.Contains(names, p.name) && firstVersion(version) == version {
					return version
				}
			}
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
