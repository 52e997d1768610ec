package update

import (
	"context"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/build"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// Deadlines and limits of what is asked of a registry.
const (
	discoverTime = 5 * time.Second
	downloadTime = 90 * time.Second
	maxDocument  = 16 << 20  // bytes of a package document
	maxArchive   = 256 << 20 // bytes of a package
	maxRedirects = 5
)

// Offer is a release that the registry has, by its account alone.
type Offer struct {
	Version   release.Version
	Tarball   *url.URL
	Integrity [sha512.Size]byte
}

// registry speaks the HTTP API of npm registries.
type registry struct {
	source Source
	client *http.Client
}

func newRegistry(s Source) *registry {
	dialer := &net.Dialer{Timeout: discoverTime}
	return &registry{source: s, client: &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext,
			TLSHandshakeTimeout: discoverTime, ForceAttemptHTTP2: true, DisableKeepAlives: true,
			// A package is hashed as it is stored, so nothing may be unpacked on the way.
			DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(to *http.Request, before []*http.Request) error {
			if len(before) >= maxRedirects {
				return errors.New("it is redirected too often")
			}
			return acceptable(to.URL, before[0].URL)
		},
	}}
}

// acceptable refuses addresses that a registry must not lead to: what began under encryption stays there.
func acceptable(to, from *url.URL) error {
	switch {
	case to.Scheme != "http" && to.Scheme != "https" || to.Host == "":
		return errors.New("it leads to something else than http")
	case from.Scheme == "https" && to.Scheme != "https":
		return errors.New("it leads from https to http")
	case to.User != nil:
		return errors.New("it leads to an address with a password")
	}
	return nil
}

// get asks for a document and gives its content, of which no more than limit bytes may be read.
func (r *registry) get(ctx context.Context, address, accept, what string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, answered(what, err)
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("User-Agent", "acc/"+build.Version())
	response, err := r.client.Do(request)
	if err != nil {
		return nil, unreachable(what, err)
	}
	switch {
	case response.StatusCode == http.StatusNotFound:
		err = protocol.DataError(ReasonReleaseUnknown, "the registry has no "+what)
	case response.StatusCode != http.StatusOK:
		err = unreachable(what, fmt.Errorf("the registry answers with status %d", response.StatusCode))
	default:
		return response.Body, nil
	}
	_ = response.Body.Close()
	return nil, err
}

// discover asks which release there is: the one of that exact version, or for "" the one that the registry calls
// the latest. Only stable versions count.
func (r *registry) discover(ctx context.Context, version string) (Offer, error) {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	what := "package document of " + release.PackageOf(r.source.Name, r.source.Platform.Name)
	body, err := r.get(ctx, r.source.document(), "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8", what)
	if err != nil {
		return Offer{}, err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxDocument+1))
	if err != nil {
		return Offer{}, unreachable(what, err)
	}
	document, err := documentObject.Decode(data)
	if err != nil {
		return Offer{}, answered(what, err)
	}
	if version == "" {
		version = document.tags.latest
	}
	entry, found := document.versions[version]
	if !found {
		return Offer{}, protocol.DataError(ReasonReleaseUnknown, fmt.Sprintf("the registry has no version %.40q of %s", version, r.source.Name))
	}
	offer, err := r.offer(document.name, version, entry)
	if err != nil {
		return Offer{}, answered(what, err)
	}
	return offer, nil
}

// offer reads what the registry says about one version.
func (r *registry) offer(name, version string, entry jsontext.Value) (Offer, error) {
	var o Offer
	v, err := versionObject.Decode(entry)
	if err != nil {
		return o, err
	}
	if want := release.PackageOf(r.source.Name, r.source.Platform.Name); name != want || v.name != want || v.version != version {
		return o, errors.New("it is about another package or version")
	}
	var stable bool
	if o.Version, stable = release.ParseVersion(version); !stable {
		return o, fmt.Errorf("%.40q is no stable version", version)
	}
	text, found := strings.CutPrefix(v.dist.integrity, "sha512-")
	sum, err := base64.StdEncoding.Strict().DecodeString(text)
	if !found || err != nil || len(sum) != sha512.Size {
		return o, errors.New("its integrity is no single sha512")
	}
	copy(o.Integrity[:], sum)
	if o.Tarball, err = url.Parse(v.dist.tarball); err != nil {
		return o, errors.New("its tarball has no address")
	}
	return o, acceptable(o.Tarball, r.source.Registry)
}

// download writes the package of an offer and compares its hash while it comes in. After an error what was
// written is worth nothing.
func (r *registry) download(ctx context.Context, o Offer, to io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	what := fmt.Sprintf("package of %s %s", r.source.Name, o.Version)
	body, err := r.get(ctx, o.Tarball.String(), "application/octet-stream, */*", what)
	if err != nil {
		return err
	}
	defer body.Close()
	sum := sha512.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(body, maxArchive+1))
	switch {
	case err != nil:
		return unreachable(what, err)
	case n > maxArchive:
		return answered(what, fmt.Errorf("it is larger than %d bytes", maxArchive))
	case subtle.ConstantTimeCompare(sum.Sum(nil), o.Integrity[:]) != 1:
		return protocol.DataError(ReasonIntegrity, "the "+what+" is not the one that the registry announced")
	}
	return nil
}

// The parts of a package document that are read. The rest is the registry's own.
type packageDocument struct {
	name     string
	tags     distTags
	versions map[string]jsontext.Value
}

type distTags struct{ latest string }

type packageVersion struct {
	name, version string
	dist          distribution
}

type distribution struct{ tarball, integrity string }

const maxText = 4 << 10

var documentObject = &strictjson.Object[packageDocument]{
	Name: "package document", Open: true, MaxBytes: maxDocument,
	Members: func() []strictjson.Member[packageDocument] {
		return []strictjson.Member[packageDocument]{
			strictjson.Field("name", "", func(d *packageDocument) *string { return &d.name }, strictjson.Text(maxText)),
			strictjson.Field("dist-tags", "", func(d *packageDocument) *distTags { return &d.tags }, strictjson.Nested(&strictjson.Object[distTags]{
				Name: "dist-tags", Open: true,
				Members: func() []strictjson.Member[distTags] {
					return []strictjson.Member[distTags]{
						strictjson.Field("latest", "", func(t *distTags) *string { return &t.latest }, strictjson.Text(maxText)),
					}
				},
			})),
			strictjson.Bag("versions", "", func(d *packageDocument) *map[string]jsontext.Value { return &d.versions }),
		}
	},
}

var versionObject = &strictjson.Object[packageVersion]{
	Name: "version", Open: true,
	Members: func() []strictjson.Member[packageVersion] {
		return []strictjson.Member[packageVersion]{
			strictjson.Field("name", "", func(v *packageVersion) *string { return &v.name }, strictjson.Text(maxText)),
			strictjson.Field("version", "", func(v *packageVersion) *string { return &v.version }, strictjson.Text(maxText)),
			strictjson.Field("dist", "", func(v *packageVersion) *distribution { return &v.dist }, strictjson.Nested(&strictjson.Object[distribution]{
				Name: "dist", Open: true,
				Members: func() []strictjson.Member[distribution] {
					return []strictjson.Member[distribution]{
						strictjson.Field("tarball", "", func(d *distribution) *string { return &d.tarball }, strictjson.Text(maxText)),
						strictjson.Field("integrity", "", func(d *distribution) *string { return &d.integrity }, strictjson.Text(maxText)),
					}
				},
			})),
		}
	},
}
