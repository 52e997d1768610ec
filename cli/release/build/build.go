// Package build holds what the release builder stamps into every executable of a build when it links them.
// It imports nothing, so that a hook can ask which build it is for free.
//
// A build from source has none of these values. What they mean is said in package release.
package build

// The values, set with -ldflags "-X github.com/acc-control-plane/acc/cli/release/build.id=…". They are
// variables only because the linker can set nothing else.
var (
	id         string
	version    string
	name       string
	registry   string
	publicKeys string
	commit     string
)

// ID tells this build apart from every other: 24 hexadecimal digits that all executables of one build share.
// It is empty for a build from source, which therefore is never taken for an installed generation.
func ID() string { return id }

// Version is the version of the release, x.y.z; empty for a build from source.
func Version() string { return version }

// PackageName is the name under which releases of this build are published: the npm package that carries no
// executables; those are in NAME-PLATFORM. Empty: nothing is known about later releases.
func PackageName() string { return name }

// DefaultRegistry is the URL of the npm registry that carries the package, unless the environment names
// another one; empty: there is none.
func DefaultRegistry() string { return registry }

// PublicKeys are the minisign keys, in base64 and parted by commas, one of which must have signed a release.
func PublicKeys() string { return publicKeys }

// Commit is the revision of the sources, where the builder knew one.
func Commit() string { return commit }
