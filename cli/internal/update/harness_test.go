package update

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/cli/release/tarball"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

const packageName = "@example/acc"

// program are the executables of the releases in these tests: shell scripts that answer as the real ones do. The
// worker is this test binary. Each leaves a trace when it is started, so that a test sees what ran.
var program = map[string]string{
	"acc": `#!/bin/sh
echo acc-VERSION >>"$TRACE"
case $1 in
version) echo '{"envelope_version":1,"ok":true,"data":{"version":"VERSION","buildId":"BUILD","storeVersion":STORES,"adapters":[ADAPTERS],"later":1}}' ;;
status) echo '{"envelope_version":1,"ok":true,"data":{"participants":[{"harness":"claude_code"}]}}' ;;
esac
`,
	"acc-hook":   "#!/bin/sh\ncat >/dev/null\necho hook-VERSION >>\"$TRACE\"\n",
	"acc-mcp":    "#!/bin/sh\n",
	"acc-worker": "#!/bin/sh\necho worker-VERSION >>\"$TRACE\"\n" + `exec "$ACC_TEST_BINARY" BUILD` + "\n",
}

// made is a release as its maker has it before it is packed.
type made struct {
	manifest *release.Manifest
	files    []tarball.Entry
	raw      []byte
}

func buildID(version string) string {
	sum := sha512.Sum512([]byte(version))
	return hex.EncodeToString(sum[:12])
}

// makeRelease makes a release of this platform. change may alter a script or what is declared, before it is
// signed.
func makeRelease(t testing.TB, trace, version string, change func(*made)) *made {
	t.Helper()
	here, ok := release.ThisPlatform()
	if !ok || goruntime.GOOS == "windows" {
		t.Skip("the programs of these releases are shell scripts")
	}
	m := &made{manifest: &release.Manifest{
		Name: packageName, Version: version, BuildID: buildID(version), Platform: here.Name,
		StoreContract: protocol.StoreVersion, UpdateProtocol: release.UpdateProtocol, Adapters: []string{"claude_code"},
	}}
	for _, name := range release.Required {
		script := strings.NewReplacer("VERSION", version, "BUILD", buildID(version), "STORES", fmt.Sprint(protocol.StoreVersion),
			"ADAPTERS", `"claude_code"`, "$TRACE", trace).Replace(program[name])
		m.files = append(m.files, tarball.Entry{Path: "bin/" + name, Mode: release.Program, Content: []byte(script)})
	}
	m.files = append(m.files, tarball.Entry{Path: "package.json", Mode: release.Plain, Content: []byte("{}\n")})
	if change != nil {
		change(m)
	}
	m.manifest.Files = nil
	for _, f := range m.files {
		m.manifest.Files = append(m.manifest.Files, release.Describe(f.Path, f.Mode, f.Content))
	}
	var err error
	if m.raw, err = m.manifest.Encode(); err != nil {
		t.Fatal(err)
	}
	return m
}

// replace changes a text in one of the files.
func (m *made) replace(t testing.TB, path, old, with string) {
	t.Helper()
	for i, f := range m.files {
		if f.Path == path && bytes.Contains(f.Content, []byte(old)) {
			m.files[i].Content = bytes.ReplaceAll(f.Content, []byte(old), []byte(with))
			return
		}
	}
	t.Fatalf("%s has no %q", path, old)
}

// entries gives what the package holds, signed by those keys.
func (m *made) entries(keys ...minisign.PrivateKey) []tarball.Entry {
	all := []tarball.Entry{{Path: release.ManifestName, Mode: release.Plain, Content: m.raw}}
	for _, k := range keys {
		name, file := signature.Sign(k, m.raw, "test")
		all = append(all, tarball.Entry{Path: name, Mode: release.Plain, Content: file})
	}
	return append(all, m.files...)
}

func packed(t testing.TB, entries []tarball.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tarball.Write(&b, entries); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fakeRegistry is a registry on loopback.
type fakeRegistry struct {
	*httptest.Server
	name     string
	latest   string
	packages map[string][]byte // by version
	asked    atomic.Int32      // for anything
	// document, if not nil, changes what is said about the package.
	document func(text string) string
	// tarball, if not nil, answers who asks for one.
	tarball http.HandlerFunc
}

func newFakeRegistry(t testing.TB) *fakeRegistry {
	t.Helper()
	here, _ := release.ThisPlatform()
	r := &fakeRegistry{name: release.PackageOf(packageName, here.Name), packages: map[string][]byte{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// offer publishes a package as the latest.
func (r *fakeRegistry) offer(version string, archive []byte) {
	r.latest, r.packages[version] = version, archive
}

// ServeHTTP implements http.Handler.
func (r *fakeRegistry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.asked.Add(1)
	if version, found := strings.CutPrefix(q.URL.Path, "/tarballs/"); found {
		if r.tarball != nil {
			r.tarball(w, q)
			return
		}
		_, _ = w.Write(r.packages[version])
		return
	}
	if q.URL.EscapedPath() != "/"+strings.ReplaceAll(r.name, "/", "%2f") {
		http.NotFound(w, q)
		return
	}
	var versions []string
	for version, archive := range r.packages {
		versions = append(versions, fmt.Sprintf(`%q:{"name":%q,"version":%q,"dist":{"shasum":"x","tarball":"http://%s/tarballs/%s","integrity":"%s"}}`, version, r.name, version, q.Host, version, integrity(archive)))
	}
	text := fmt.Sprintf(`{"name":%q,"modified":"2026-01-01T00:00:00.000Z","dist-tags":{"latest":%q,"next":"9.0.0-rc.1"},"versions":{%s}}`, r.name, r.latest, strings.Join(versions, ","))
	if r.document != nil {
		text = r.document(text)
	}
	w.Header().Set("Content-Type", "application/vnd.npm.install-v1+json")
	_, _ = w.Write([]byte(text))
}

func integrity(archive []byte) string {
	sum := sha512.Sum512(archive)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// world is a data home with acc 1.0.0, a registry, and an updater between them.
type world struct {
	*Updater
	home     datahome.Home
	registry *fakeRegistry
	key      minisign.PrivateKey
	public   minisign.PublicKey
	trace    string // file in which started programs leave their names
}

func newWorld(t testing.TB) *world {
	t.Helper()
	public, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{home: datahome.Home{Root: filepath.Join(t.TempDir(), "data")}, registry: newFakeRegistry(t), key: key, public: public, trace: filepath.Join(t.TempDir(), "trace")}
	manager := runtime.Open(w.home)
	w.install(t, makeRelease(t, w.trace, "1.0.0", nil), manager)
	here, _ := release.ThisPlatform()
	at, err := url.Parse(w.registry.URL)
	if err != nil {
		t.Fatal(err)
	}
	w.Updater = &Updater{
		Manager: manager, Network: true,
		Source: func() (Source, error) {
			return Source{Name: packageName, Platform: here, Registry: at, Keys: signature.Keys{public}}, nil
		},
		Activate: ByWorker(manager, w.home),
	}
	t.Setenv(datahome.Variable, w.home.Root)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ACC_TEST_BINARY", self)
	t.Setenv(envRole, "activate")
	return w
}

// install makes a release the first generation of a data home.
func (w *world) install(t testing.TB, m *made, manager *runtime.Manager) {
	t.Helper()
	dir := t.TempDir()
	for _, e := range m.entries() {
		path := filepath.Join(dir, filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, e.Content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	staged, err := manager.StageCopy(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Release()
	if _, err := manager.Install(ctx, staged, dir, nil, true); err != nil {
		t.Fatal(err)
	}
}

// publish makes a release, signs it and offers it.
func (w *world) publish(t testing.TB, version string, change func(*made)) *made {
	t.Helper()
	m := makeRelease(t, w.trace, version, change)
	w.registry.offer(version, packed(t, m.entries(w.key)))
	return m
}

// stays fails unless 1.0.0 is active and whole, nothing is pending, nothing is left of a download, and nothing of
// another release was started but what ran on trial.
func (w *world) stays(t testing.TB, ran ...string) {
	t.Helper()
	s, err := w.Manager.Settings()
	if err != nil {
		t.Fatal(err)
	}
	if s.Active.Version != "1.0.0" || s.Pending != nil || s.Phase != runtime.Ready {
		t.Errorf("active %s, pending %v, phase %s", s.Active.Version, s.Pending, s.Phase)
	}
	if err := w.Manager.Verify(s.Active); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.Manager.Layout().Downloads(), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	started, _ := os.ReadFile(w.trace)
	if got := strings.Join(strings.Fields(string(started)), " "); got != strings.Join(ran, " ") {
		t.Errorf("started %q, want %q", got, strings.Join(ran, " "))
	}
	_ = os.Remove(w.trace)
}

func (w *world) active(t testing.TB) string {
	t.Helper()
	s, err := w.Manager.Settings()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Manager.Verify(s.Active); err != nil {
		t.Error(err)
	}
	return s.Active.Version
}
