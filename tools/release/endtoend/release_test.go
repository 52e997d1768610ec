package endtoend

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/cli/release/tarball"
	"github.com/acc-control-plane/acc/tools/release/builder"
	"github.com/acc-control-plane/acc/tools/worktree"
)

const packageName = "@example/acc"

// gate is the variable that lets these tests run.
const gate = "ACC_RELEASE_TESTS"

// expensive skips a test that takes minutes unless it was asked for.
func expensive(t *testing.T) {
	t.Helper()
	if os.Getenv(gate) != "all" {
		t.Skip("it takes minutes; doc.go says how it is asked for")
	}
}

// The versions of the releases.
const (
	first  = "1.0.0"
	second = "1.1.0"
)

// releases are the two releases that all tests share.
type releases struct {
	key  minisign.PrivateKey
	keys signature.Keys
	dirs map[string]string // by version
	here release.Platform
	err  error
}

var scratch string // of the package, removed at the end

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "acc-endtoend-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

var built = sync.OnceValue(func() (r releases) {
	public, key, err := minisign.GenerateKey(nil)
	if err != nil {
		return releases{err: err}
	}
	r = releases{key: key, keys: signature.Keys{public}, dirs: map[string]string{}}
	var ok bool
	if r.here, ok = release.ThisPlatform(); !ok {
		return releases{err: fmt.Errorf("no release is built for this platform")}
	}
	root, err := worktree.FindRoot(".")
	if err != nil {
		return releases{err: err}
	}
	for _, version := range []string{first, second} {
		r.dirs[version] = filepath.Join(scratch, version)
		if r.err = builder.Build(context.Background(), options(root, r.dirs[version], version, key)); r.err != nil {
			break
		}
	}
	return r
})

// options are those of every release here. Nobody can reach the registry that is stamped in: tests name theirs.
func options(root, out, version string, key minisign.PrivateKey) builder.Options {
	here, _ := release.ThisPlatform()
	return builder.Options{
		Root: root, Out: out, Version: version, Name: packageName, Registry: "http://127.0.0.1:1",
		Commit: "0123456789abcdef0123456789abcdef01234567", Platforms: []release.Platform{here}, Keys: []minisign.PrivateKey{key},
	}
}

// theReleases builds them, once.
func theReleases(t *testing.T) releases {
	t.Helper()
	if os.Getenv(gate) == "" {
		t.Skip("it builds releases; doc.go says how it is asked for")
	}
	worktree.Uncached() // the go command does not see what the builder reads
	r := built()
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r
}

// tgz is the file of an npm package of a release.
func (r releases) tgz(version, name string) string {
	return filepath.Join(r.dirs[version], strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")+"-"+version+".tgz")
}

func (r releases) carrier() string { return release.PackageOf(packageName, r.here.Name) }

// unpack extracts a compressed tar file, without its outermost directory.
func unpack(t *testing.T, archive, into string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for entries := tar.NewReader(unzipped); ; {
		h, err := entries.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		content, err := io.ReadAll(entries)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(into, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(into, name), content, h.FileInfo().Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatAReleaseConsistsOf opens what the builder made as a stranger would.
func TestWhatAReleaseConsistsOf(t *testing.T) {
	r := theReleases(t)
	archive, err := os.ReadFile(r.tgz(second, r.carrier()))
	if err != nil {
		t.Fatal(err)
	}
	p, err := tarball.Open(bytes.NewReader(archive), r.keys)
	if err != nil {
		t.Fatal(err)
	}
	m := p.Manifest
	if m.Name != packageName || m.Version != second || m.Platform != r.here.Name || len(m.Adapters) < 6 || m.UpdateProtocol != release.UpdateProtocol {
		t.Errorf("%+v", m)
	}
	into, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	if err := p.Extract(t.Context(), into); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"LICENSE", "THIRD_PARTY_LICENSES", "package.json", "sbom.cdx.json"} {
		if _, err := into.Stat(path); err != nil {
			t.Error(err)
		}
	}
	// The plain archive has the same files.
	plain := t.TempDir()
	unpack(t, filepath.Join(r.dirs[second], "acc-"+second+"-"+r.here.Name+".tar.gz"), plain)
	for _, f := range m.Files {
		content, err := os.ReadFile(filepath.Join(plain, filepath.FromSlash(f.Path)))
		if err != nil || release.Describe(f.Path, f.Mode, content) != f {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	checkSums(t, r)
	checkMaterials(t, filepath.Join(plain, "sbom.cdx.json"), m)
}

func checkSums(t *testing.T, r releases) {
	t.Helper()
	sums, err := os.ReadFile(filepath.Join(r.dirs[second], "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(r.dirs[second], fmt.Sprintf("SHA256SUMS.%016X.minisig", r.key.ID())))
	if err != nil || !minisign.Verify(r.keys[0], sums, file) {
		t.Errorf("the checksums are not signed: %v", err)
	}
	named := 0
	for line := range strings.Lines(string(sums)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(r.dirs[second], name))
		sum := sha256.Sum256(content)
		if err != nil || hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s: %v", name, err)
		}
		named++
	}
	if entries, _ := os.ReadDir(r.dirs[second]); named != len(entries)-2 {
		t.Errorf("%d of %d files have a checksum", named, len(entries)-2)
	}
}

func checkMaterials(t *testing.T, path string, m *release.Manifest) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct{ Type, Name, Version string }
	}
	if err := json.Unmarshal(raw, &bom); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range bom.Components {
		found[c.Type+" "+c.Name] = c.Version
	}
	for what, version := range map[string]string{
		"library std": "1.", "library github.com/acc-control-plane/acc/core": "v" + second, "library github.com/go-json-experiment/json": "v1.",
		"library github.com/modelcontextprotocol/go-sdk": "v1.", "library aead.dev/minisign": "v0.", "file bin/" + m.For().Executable("acc-hook"): "",
	} {
		if got, listed := found[what]; !listed || !strings.HasPrefix(got, version) {
			t.Errorf("%s %q is not listed as %q", what, got, version)
		}
	}
	if bom.BOMFormat != "CycloneDX" {
		t.Error(bom.BOMFormat)
	}
}

// registry serves the packages of releases as npm's does. Each version is there from when it is published.
type registry struct {
	*httptest.Server
	mu       sync.Mutex
	packages map[string]map[string]*published // by name and version
	latest   string
}

// published is one version of a package, read once: under load a registry still has to answer in time.
type published struct {
	described map[string]any
	archive   []byte
}

func newRegistry(t *testing.T) *registry {
	r := &registry{packages: map[string]map[string]*published{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *registry) publish(t *testing.T, of releases, version string) {
	t.Helper()
	for _, name := range []string{packageName, of.carrier()} {
		described, err := describe(of.tgz(version, name))
		if err != nil {
			t.Fatal(err)
		}
		archive, err := os.ReadFile(of.tgz(version, name))
		if err != nil {
			t.Fatal(err)
		}
		r.serve(name, version, &published{described: described, archive: archive})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = version
}

// serve offers a version of a package.
func (r *registry) serve(name, version string, p *published) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := sha512.Sum512(p.archive)
	p.described["dist"] = map[string]any{
		"tarball": r.URL + "/-/" + version + "/" + name, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
	if r.packages[name] == nil {
		r.packages[name] = map[string]*published{}
	}
	r.packages[name][version] = p
}

// ServeHTTP implements http.Handler.
func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := strings.TrimPrefix(q.URL.Path, "/")
	if file, found := strings.CutPrefix(name, "-/"); found {
		version, name, _ := strings.Cut(file, "/")
		if p := r.packages[name][version]; p != nil {
			_, _ = w.Write(p.archive)
			return
		}
	}
	if r.packages[name] == nil {
		http.NotFound(w, q)
		return
	}
	versions := map[string]any{}
	for version, p := range r.packages[name] {
		versions[version] = p.described
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": r.latest}, "versions": versions})
}

// describe gives the package.json in a package.
func describe(path string) (map[string]any, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for entries := tar.NewReader(unzipped); ; {
		h, err := entries.Next()
		if err != nil {
			return nil, err
		}
		if h.Name == "package/package.json" {
			var described map[string]any
			return described, json.NewDecoder(entries).Decode(&described)
		}
	}
}
