package builder

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/release"
)

// Options say what to release.
type Options struct {
	Root      string // of the work tree
	Out       string // directory that the release is written to; it must be empty or absent
	Version   string // x.y.z
	Name      string // of the npm package; NAME-PLATFORM are those with executables
	Registry  string // URL of the registry that later releases are looked for in
	Commit    string // revision of the sources; "": not recorded
	Platforms []release.Platform
	// Keys sign. Their public halves are what this release trusts the next one by, and so are Trust.
	Keys []minisign.PrivateKey
	// Trust are public keys that this release trusts besides: of a key that will sign later on.
	Trust []minisign.PublicKey
	// Log, if not nil, is told what is being done.
	Log func(line string)
}

var (
	nameForm   = regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
	commitForm = regexp.MustCompile(`^([0-9a-f]{7,64})?$`)
)

// check refuses what would end in a release that nobody could install or update.
func (o *Options) check() error {
	if _, ok := release.ParseVersion(o.Version); !ok {
		return fmt.Errorf("%q is no stable version x.y.z", o.Version)
	}
	if !nameForm.MatchString(o.Name) {
		return fmt.Errorf("%q is no name of an npm package", o.Name)
	}
	if u, err := url.Parse(o.Registry); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(o.Registry, " '\"") {
		return fmt.Errorf("%q is no URL of a registry", o.Registry)
	}
	if !commitForm.MatchString(o.Commit) {
		return fmt.Errorf("%q is no revision", o.Commit)
	}
	if len(o.Keys) == 0 {
		return fmt.Errorf("a release needs a key that signs it")
	}
	if len(o.Platforms) == 0 {
		return fmt.Errorf("a release needs a platform")
	}
	for _, p := range o.Platforms {
		if !slices.Contains(release.Platforms, p) {
			return fmt.Errorf("no release is built for %q", p.Name)
		}
	}
	return nil
}

// trusted is the value that the executables are stamped with.
func (o *Options) trusted() string {
	var keys []string
	for _, k := range o.Keys {
		keys = append(keys, k.Public().(minisign.PublicKey).String())
	}
	for _, k := range o.Trust {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), ",")
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}
