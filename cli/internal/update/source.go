package update

import (
	"net/url"
	"strings"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/build"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/protocol"
)

// Source says where later releases come from and who must have signed them.
type Source struct {
	Name     string // of the package without the platform
	Platform release.Platform
	Registry *url.URL
	Keys     signature.Keys
}

// OwnSource is the source of this build: its name and keys were stamped into it, its registry too unless
// ACC_REGISTRY or npm_config_registry names another. Where one of them is missing updates are disabled, which is
// an error that says so.
func OwnSource(env func(string) string) (Source, error) {
	return stampedSource(build.PackageName(), build.DefaultRegistry(), build.PublicKeys(), env)
}

func stampedSource(name, registry, publicKeys string, env func(string) string) (Source, error) {
	for _, variable := range []string{"npm_config_registry", "ACC_REGISTRY"} {
		if value := env(variable); value != "" {
			registry = value
		}
	}
	for _, known := range [][2]string{{"name", name}, {"registry", registry}, {"public key", publicKeys}} {
		if known[1] == "" {
			return Source{}, protocol.DataError(ReasonUpdatesDisabled, "updates are disabled: this build of acc knows no "+known[0]+" of its releases").
				WithHint("install a release, or build a newer acc and run its acc install")
		}
	}
	platform, ok := release.ThisPlatform()
	if !ok {
		return Source{}, protocol.DataError(ReasonUpdatesDisabled, "updates are disabled: no release is built for this platform")
	}
	keys, err := signature.ParseKeys(publicKeys)
	if err != nil {
		return Source{}, err
	}
	at, err := parseRegistry(registry)
	return Source{Name: name, Platform: platform, Registry: at, Keys: keys}, err
}

func parseRegistry(text string) (*url.URL, error) {
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, protocol.UsageError(ReasonUpdatesDisabled, "the registry is no plain http or https URL").WithHint("set ACC_REGISTRY")
	}
	return at, nil
}

// document is the URL of the package document of this platform.
func (s Source) document() string {
	name := release.PackageOf(s.Name, s.Platform.Name)
	return strings.TrimRight(s.Registry.String(), "/") + "/" + strings.ReplaceAll(name, "/", "%2f")
}
