package update

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/tarball"
	"github.com/acc-control-plane/acc/protocol"
)

// trialOf is what is started of a release before it is anybody's.
func trialOf(version string) []string {
	return []string{"acc-" + version, "hook-" + version, "acc-" + version}
}

func TestUpdate(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	r, err := w.Update(context.Background(), true)
	if err != nil || r.Outcome != Updated || r.From != "1.0.0" || r.Latest != "1.1.0" {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := w.active(t); got != "1.1.0" {
		t.Errorf("%s is active", got)
	}
	s, err := w.Manager.Settings()
	if err != nil || s.Pending != nil || s.CheckedAt.IsZero() || s.Notice != "" {
		t.Errorf("%+v, %v", s, err)
	}
	started, err := os.ReadFile(w.trace)
	if want := strings.Join(append(trialOf("1.1.0"), "worker-1.1.0"), " "); err != nil || strings.Join(strings.Fields(string(started)), " ") != want {
		t.Errorf("started %q, want %q", started, want)
	}
	// The new worker has removed the generation that it replaced: nobody runs from it.
	status, err := w.Manager.Status(context.Background())
	if err != nil || len(status.Generations) != 1 || status.Reclaim == nil || !status.Reclaim.Complete || status.Upgrade == nil {
		t.Errorf("%+v, %v", status, err)
	}
	if r, err := w.Update(context.Background(), true); err != nil || r.Outcome != Current {
		t.Errorf("once more: %+v, %v", r, err)
	}
}

func TestLookingChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	r, err := w.Look(context.Background())
	if err != nil || r.Outcome != Available || r.Latest != "1.1.0" {
		t.Fatalf("%+v, %v", r, err)
	}
	w.stays(t)
	if s, _ := w.Manager.Settings(); !s.CheckedAt.IsZero() {
		t.Error("it counts as a check")
	}
	w.publish(t, "1.0.0", nil)
	if r, err := w.Look(context.Background()); err != nil || r.Outcome != Current {
		t.Errorf("%+v, %v", r, err)
	}
	w.publish(t, "0.9.0", nil)
	if r, err := w.Update(context.Background(), true); err != nil || r.Outcome != Current {
		t.Errorf("an older one: %+v, %v", r, err)
	}
	w.stays(t)
}

func TestWhatIsNotAskedForIsNotDone(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	ctx := context.Background()
	for name, c := range map[string]struct{ due, auto, network bool }{"not due": {false, true, true}, "not wanted": {true, false, true}, "no network": {true, true, false}} {
		if err := w.Manager.SetAuto(ctx, c.auto); err != nil {
			t.Fatal(err)
		}
		w.Network = c.network
		w.checked(t, c.due)
		if r, err := w.Update(ctx, false); err != nil || r.Outcome != Skipped {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if n := w.registry.asked.Load(); n != 0 {
		t.Errorf("the registry was asked %d times", n)
	}
	w.Network = false
	if _, err := w.Update(ctx, true); protocol.ReasonOf(err) != ReasonNetworkDisabled {
		t.Errorf("asked without network: %v", err)
	}
	w.stays(t)
	w.Network = true
	if err := w.Manager.SetAuto(ctx, true); err != nil {
		t.Fatal(err)
	}
	w.checked(t, true)
	if r, err := w.Update(ctx, false); err != nil || r.Outcome != Updated {
		t.Errorf("due: %+v, %v", r, err)
	}
}

// checked makes a look for later releases due, or one that was done just now.
func (w *world) checked(t testing.TB, due bool) {
	t.Helper()
	at := time.Now()
	if due {
		at = at.Add(-25 * time.Hour)
	}
	if err := w.Manager.SetCheckedAt(context.Background(), at); err != nil {
		t.Fatal(err)
	}
}

// TestManyWorkersAskOnce: of workers that were all started because it was due, one asks the registry.
func TestManyWorkersAskOnce(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.0.0", nil)
	for range 3 {
		if _, err := w.Update(context.Background(), false); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.registry.asked.Load(); n != 1 {
		t.Errorf("the registry was asked %d times", n)
	}
}

func TestPinnedVersion(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	w.publish(t, "1.2.0", nil)
	ctx := context.Background()
	if err := w.Manager.SetPin(ctx, "1.1.0"); err != nil {
		t.Fatal(err)
	}
	if r, err := w.Update(ctx, true); err != nil || r.Outcome != Updated || w.active(t) != "1.1.0" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.Update(ctx, true); err != nil || r.Outcome != Current {
		t.Errorf("%+v, %v", r, err)
	}
	if err := w.Manager.SetPin(ctx, "1.3.0"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Update(ctx, true); protocol.ReasonOf(err) != ReasonReleaseUnknown {
		t.Errorf("a version that is not there: %v", err)
	}
}

// TestTampering changes one thing at a time between the maker of a release and the data home. Each leaves the old
// version active, and nothing of the new one is started.
func TestTampering(t *testing.T) {
	flip := func(entries []tarball.Entry, i, at int) []tarball.Entry {
		content := append([]byte{}, entries[i].Content...)
		content[at] ^= 1
		entries[i].Content = content
		return entries
	}
	w := newWorld(t)
	good := w.publish(t, "1.1.0", nil)
	_, stranger, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	type tampering struct {
		name   string
		reason protocol.Reason
		do     func()
	}
	cases := []tampering{
		{"signed by nobody", release.ReasonSignatureInvalid, func() { w.registry.offer("1.1.0", packed(t, good.entries())) }},
		{"signed by a stranger", release.ReasonSignatureInvalid, func() { w.registry.offer("1.1.0", packed(t, good.entries(stranger))) }},
		{"an older release under a later version", ReasonOtherRelease, func() {
			w.registry.offer("1.2.0", packed(t, good.entries(w.key)))
		}},
		{"something after its end", release.ReasonArchiveInvalid, func() {
			w.registry.offer("1.1.0", append(packed(t, good.entries(w.key)), "more"...))
		}},
		{"another integrity", ReasonIntegrity, func() {
			other := integrity([]byte("something else"))
			w.registry.document = func(text string) string {
				return strings.Replace(text, integrity(w.registry.packages["1.1.0"]), other, 1)
			}
		}},
		{"a weaker hash", ReasonRegistryAnswer, func() {
			w.registry.document = func(text string) string { return strings.Replace(text, "sha512-", "sha1-", 1) }
		}},
		{"several hashes", ReasonRegistryAnswer, func() {
			w.registry.document = func(text string) string { return strings.Replace(text, `"sha512-`, `"sha1-AAAA sha512-`, 1) }
		}},
		{"another package", ReasonRegistryAnswer, func() {
			w.registry.document = func(text string) string {
				return strings.Replace(text, `"name":"@example`, `"name":"@elsewhere`, 1)
			}
		}},
		{"no document", ReasonRegistryAnswer, func() { w.registry.document = func(text string) string { return text[:len(text)-1] } }},
		{"two answers at once", ReasonRegistryAnswer, func() { w.registry.document = func(text string) string { return text + "{}" } }},
		{"a prerelease", ReasonReleaseUnknown, func() { w.registry.latest = "2.0.0-rc.1" }},
		{"a prerelease that is there", ReasonRegistryAnswer, func() {
			w.registry.offer("2.0.0-rc.1", packed(t, good.entries(w.key)))
		}},
		{"a tarball on the file system", ReasonRegistryAnswer, func() {
			w.registry.document = func(text string) string {
				return strings.Replace(text, "http://"+w.registry.Listener.Addr().String()+"/tarballs", "file:///etc", 1)
			}
		}},
		{"a tarball behind a password", ReasonRegistryAnswer, func() {
			w.registry.document = func(text string) string {
				return strings.Replace(text, `"tarball":"http://`, `"tarball":"http://a:b@`, 1)
			}
		}},
	}
	for i, e := range good.entries(w.key) {
		reason := release.ReasonArchiveInvalid
		if strings.HasPrefix(e.Path, release.ManifestName) {
			reason = release.ReasonSignatureInvalid
		}
		for _, at := range []int{0, 1, len(e.Content) / 3, len(e.Content) / 2, len(e.Content) - 1} {
			cases = append(cases, tampering{fmt.Sprintf("a bit of %s at %d", e.Path, at), reason, func() {
				w.registry.offer("1.1.0", packed(t, flip(good.entries(w.key), i, at)))
			}})
		}
	}
	archive := packed(t, good.entries(w.key))
	for at := 0; at < len(archive); at = max(at+1, min(at+len(archive)/8, len(archive)-1)) {
		cases = append(cases, tampering{"a bit on the way", ReasonIntegrity, func() {
			said := integrity(archive)
			w.registry.packages["1.1.0"] = append([]byte{}, archive...)
			w.registry.packages["1.1.0"][at] ^= 1
			now := integrity(w.registry.packages["1.1.0"])
			w.registry.document = func(text string) string { return strings.Replace(text, now, said, 1) }
		}})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w.registry.packages, w.registry.document = map[string][]byte{}, nil
			w.registry.offer("1.1.0", archive)
			c.do()
			if _, err := w.Update(context.Background(), true); protocol.ReasonOf(err) != c.reason {
				t.Errorf("%v (%s), want %s", err, protocol.ReasonOf(err), c.reason)
			}
			w.stays(t)
		})
	}
	w.registry.packages, w.registry.document = map[string][]byte{}, nil
	w.registry.offer("1.1.0", archive)
	if r, err := w.Update(context.Background(), true); err != nil || r.Outcome != Updated {
		t.Errorf("untouched: %+v, %v", r, err)
	}
}

// TestTamperedDocument flips a bit of each byte of what the registry says, which nobody has signed. Either it says the same
// for all that is read of it, or there is no offer, or it leads to what is not the release: then nothing else can
// become of it than the old version, because integrity, signature and manifest have to agree with it.
func TestTamperedDocument(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	source, err := w.Source()
	if err != nil {
		t.Fatal(err)
	}
	want, err := newRegistry(source).discover(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var whole string
	w.registry.document = func(text string) string { whole = text; return text }
	if _, err := w.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	same, refused, other := 0, 0, 0
	for at := range len(whole) {
		changed := []byte(whole)
		changed[at] ^= 1
		w.registry.document = func(string) string { return string(changed) }
		got, err := newRegistry(source).discover(t.Context(), "")
		switch {
		case err != nil:
			refused++
			continue
		case got.Version == want.Version && got.Integrity == want.Integrity && got.Tarball.String() == want.Tarball.String():
			same++
			continue
		}
		other++
		_, _ = w.Update(t.Context(), true)
		w.stays(t)
	}
	t.Logf("of %d bytes %d are not read, %d are refused at once, and %d lead to something else", len(whole), same, refused, other)
	if other == 0 || refused < len(whole)/3 {
		t.Error("that is not what this test is about")
	}
}

// TestReleasesThatDoNotFit are signed, and still not for this data home.
func TestReleasesThatDoNotFit(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	if err := w.Manager.Wire(ctx, w.home.Root, []string{"claude_code"}); err != nil {
		t.Fatal(err)
	}
	other := release.Platforms[0]
	if here, _ := release.ThisPlatform(); here == other {
		other = release.Platforms[1]
	}
	for _, c := range []struct {
		name   string
		reason protocol.Reason
		ran    []string
		change func(*made)
	}{
		{"without an adapter that is wired", runtime.ReasonAdapterMissing, nil, func(m *made) { m.manifest.Adapters = []string{"codex"} }},
		{"for a later updater", ReasonUpdateProtocol, nil, func(m *made) { m.manifest.UpdateProtocol++ }},
		{"for another platform", ReasonOtherRelease, nil, func(m *made) { m.manifest.Platform = other.Name }},
		{"of another name", ReasonOtherRelease, nil, func(m *made) { m.manifest.Name = "acc" }},
		{"whose acc is another build", ReasonUnhealthy, trialOf("1.1.0")[:1], func(m *made) { m.replace(t, "bin/acc", buildID("1.1.0"), buildID("x")) }},
		{"whose acc has other stores", ReasonUnhealthy, trialOf("1.1.0")[:1], func(m *made) { m.manifest.StoreContract++ }},
		{"whose acc does not start", ReasonUnhealthy, nil, func(m *made) { m.replace(t, "bin/acc", "#!/bin/sh", "#!/nowhere") }},
		{"whose hook fails", ReasonUnhealthy, trialOf("1.1.0")[:2], func(m *made) { m.files[1].Content = append(m.files[1].Content, "exit 3\n"...) }},
		{"whose hook complains", ReasonUnhealthy, trialOf("1.1.0")[:2], func(m *made) { m.files[1].Content = append(m.files[1].Content, "echo no >&2\n"...) }},
		{"whose hook does nothing", ReasonUnhealthy, trialOf("1.1.0"), func(m *made) { m.replace(t, "bin/acc", `{"harness":"claude_code"}`, "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.registry.packages = map[string][]byte{}
			w.publish(t, "1.1.0", c.change)
			if _, err := w.Update(ctx, true); protocol.ReasonOf(err) != c.reason {
				t.Errorf("%v, want %s", err, c.reason)
			}
			w.stays(t, c.ran...)
			if s, _ := w.Manager.Settings(); s.Notice == "" {
				t.Error("nobody is told")
			}
		})
	}
}

// TestWhatWaitsIsReplaced lets a release that cannot be activated give way to a later one.
func TestWhatWaitsIsReplaced(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	activate, blocked := w.Activate, map[string]bool{"1.1.0": true}
	w.Activate = func(ctx context.Context, g runtime.Generation) error {
		if blocked[g.Version] {
			return protocol.ConflictError(runtime.ReasonProcessesActive, "somebody is at work")
		}
		return activate(ctx, g)
	}
	ctx := context.Background()
	pending := func(want string) {
		t.Helper()
		if s, err := w.Manager.Settings(); err != nil || s.Active.Version != "1.0.0" || s.Pending == nil || s.Pending.Version != want {
			t.Errorf("%+v, %v", s, err)
		}
	}
	for range 2 {
		if _, err := w.Update(ctx, true); protocol.ReasonOf(err) != runtime.ReasonProcessesActive {
			t.Errorf("%v", err)
		}
		pending("1.1.0")
	}
	// In the background it is replaced only when looking is due.
	w.publish(t, "1.2.0", nil)
	blocked["1.2.0"] = true
	before := w.registry.asked.Load()
	if _, err := w.Update(ctx, false); protocol.ReasonOf(err) != runtime.ReasonProcessesActive || w.registry.asked.Load() != before {
		t.Errorf("%v", err)
	}
	pending("1.1.0")
	w.checked(t, true)
	if _, err := w.Update(ctx, false); protocol.ReasonOf(err) != runtime.ReasonProcessesActive {
		t.Errorf("%v", err)
	}
	pending("1.2.0")
	// An activation that is verified needs no network.
	clear(blocked)
	w.Network = false
	if r, err := w.Update(ctx, false); err != nil || r.Outcome != Updated || w.active(t) != "1.2.0" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestWhatKeepsAReleaseIsSaid: nobody reads what a worker in the background prints.
func TestWhatKeepsAReleaseIsSaid(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	activate := w.Activate
	w.Activate = func(context.Context, runtime.Generation) error {
		return protocol.DataError("", "a client cannot be planned")
	}
	ctx := context.Background()
	if _, err := w.Update(ctx, false); err == nil || !strings.Contains(err.Error(), "cannot be planned") {
		t.Errorf("%v", err)
	}
	if s, _ := w.Manager.Settings(); s.Notice != "a client cannot be planned" || s.Pending == nil {
		t.Errorf("%+v", s)
	}
	w.Activate = activate
	if r, err := w.Update(ctx, false); err != nil || r.Outcome != Updated {
		t.Errorf("%+v, %v", r, err)
	}
	if s, _ := w.Manager.Settings(); s.Notice != "" {
		t.Errorf("%+v", s)
	}
}

// TestDamagedPendingIsFetchedAgain: what waits is verified before anything of it starts.
func TestDamagedPendingIsFetchedAgain(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	activate := w.Activate
	w.Activate = func(context.Context, runtime.Generation) error {
		return protocol.ConflictError(runtime.ReasonProcessesActive, "somebody is at work")
	}
	ctx := context.Background()
	if _, err := w.Update(ctx, true); protocol.ReasonOf(err) != runtime.ReasonProcessesActive {
		t.Fatal(err)
	}
	s, err := w.Manager.Settings()
	if err != nil {
		t.Fatal(err)
	}
	worker := w.Manager.Layout().Executable(s.Pending.Name, Worker)
	if err := os.WriteFile(worker, []byte("#!/bin/sh\necho evil >>"+w.trace+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.Activate = activate
	if r, err := w.Update(ctx, true); err != nil || r.Outcome != Updated || w.active(t) != "1.1.0" {
		t.Errorf("%+v, %v", r, err)
	}
	if started, _ := os.ReadFile(w.trace); strings.Contains(string(started), "evil") {
		t.Errorf("started %s", started)
	}
}

func TestOtherWorkerIsAtWork(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	unlock, err := w.Manager.LockWorker()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Update(context.Background(), false); protocol.ReasonOf(err) != runtime.ReasonWorkerBusy {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Update(ctx, true); protocol.ReasonOf(err) != runtime.ReasonWorkerBusy {
		t.Errorf("%v", err)
	}
	unlock()
	if s, _ := w.Manager.Settings(); !s.CheckedAt.IsZero() || w.registry.asked.Load() != 0 {
		t.Error("the one that lost has left a trace")
	}
}

// TestCheckedAtComesFirst: a registry that fails is not asked again until the next day.
func TestCheckedAtComesFirst(t *testing.T) {
	w := newWorld(t)
	w.registry.Close()
	if _, err := w.Update(context.Background(), false); protocol.ReasonOf(err) != ReasonRegistryUnreachable {
		t.Errorf("%v", err)
	}
	if s, _ := w.Manager.Settings(); s.CheckedAt.IsZero() || s.Notice != "" {
		t.Errorf("%+v", s)
	}
	w.stays(t)
}

func TestRegistriesThatDoNotAnswer(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name   string
		reason protocol.Reason
		answer http.HandlerFunc
	}{
		{"not found", ReasonReleaseUnknown, http.NotFound},
		{"an error", ReasonRegistryUnreachable, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }},
		{"round and round", ReasonRegistryUnreachable, func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, "/again", http.StatusFound) }},
		{"a redirect to a file", ReasonRegistryUnreachable, func(w http.ResponseWriter, q *http.Request) {
			http.Redirect(w, q, "file:///etc/passwd", http.StatusFound)
		}},
		{"a page", ReasonRegistryAnswer, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }},
		{"without end", ReasonRegistryAnswer, func(w http.ResponseWriter, q *http.Request) {
			for block := []byte(strings.Repeat(" ", 1<<16)); q.Context().Err() == nil; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.answer)
			defer server.Close()
			source, err := w.Source()
			if err != nil {
				t.Fatal(err)
			}
			source.Registry.Host = server.Listener.Addr().String()
			if _, err := w.Look(context.Background()); protocol.ReasonOf(err) != c.reason {
				t.Errorf("%v, want %s", err, c.reason)
			}
		})
	}
	// The caller's deadline counts too.
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }))
	defer hanging.Close()
	source, err := w.Source()
	if err != nil {
		t.Fatal(err)
	}
	source.Registry.Host = hanging.Listener.Addr().String()
	ctx, cancel := context.WithTimeout(context.Background(), 1)
	defer cancel()
	if _, err := w.Look(ctx); protocol.ReasonOf(err) != ReasonRegistryUnreachable || protocol.CodeOf(err) != protocol.Timeout {
		t.Errorf("%v", err)
	}
}
