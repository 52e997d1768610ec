package update

import (
	"net/url"
	"testing"

	"github.com/acc-control-plane/acc/cli/release"
)

// FuzzDocument gives the reader of package documents arbitrary bytes. What it makes an offer of is a stable version
// with an address that may be asked.
func FuzzDocument(f *testing.F) {
	here := release.Platforms[0]
	at, err := url.Parse("https://registry.example")
	if err != nil {
		f.Fatal(err)
	}
	r := newRegistry(Source{Name: "acc", Platform: here, Registry: at})
	name := release.PackageOf("acc", here.Name)
	f.Add([]byte(`{"name":"` + name + `","dist-tags":{"latest":"1.2.3"},"versions":{"1.2.3":{"name":"` + name + `","version":"1.2.3","dist":{"tarball":"https://registry.example/x.tgz","integrity":"` + integrity(nil) + `"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := documentObject.Decode(data)
		if err != nil {
			return
		}
		for version, entry := range document.versions {
			o, err := r.offer(document.name, version, entry)
			if err != nil {
				continue
			}
			if o.Version.String() != version || o.Tarball.Scheme != "https" || o.Tarball.Host == "" || o.Tarball.User != nil {
				t.Errorf("%q is an offer: %+v", version, o)
			}
		}
	})
}
