//go:build unix

package runtime

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// storm is the variable that makes TestHooksDuringActivations as long as a release asks for: with all, 200 activations
// under the hooks of eight sessions.
const storm = "ACC_RUNTIME_TESTS"

// TestHooksDuringActivations: hooks that never stop coming run during many activations, and each of them either runs a
// whole generation or says that acc is being updated. Sessions that are pinned stay with one generation, and when all is
// over nothing is left but the active one.
func TestHooksDuringActivations(t *testing.T) {
	activations, hooks := 20, 4
	switch {
	case os.Getenv(storm) == "all":
		activations, hooks = 200, 8
	case testing.Short():
		activations = 5
	}
	w := newWorld(t)
	var counts stormCounts
	stop := make(chan struct{})
	var group sync.WaitGroup
	for n := range hooks {
		group.Go(func() { w.sessions(&counts, n, stop) })
	}
	removed := 0
	for i := range activations {
		r, err := w.alternate(i)
		removed += len(r.Removed)
		switch {
		case protocol.ReasonOf(err) == protocol.ReasonAdmissionBusy:
			counts.busy.Add(1)
		case err != nil:
			t.Errorf("activation %d: %v", i, err)
		}
	}
	close(stop)
	group.Wait()
	t.Logf("%d activations, %d of them refused because hooks were starting; %d hooks ran, %d of them in %d pinned sessions, and %d met the fence; %d generations were reclaimed",
		activations, counts.busy.Load(), counts.ran.Load(), counts.pinned.Load(), counts.begun.Load(), counts.fenced.Load(), removed)
	if counts.ran.Load() == 0 || removed == 0 || counts.pinned.Load() == 0 || counts.busy.Load() > int64(activations)/10 {
		t.Error("that is not what this test is about")
	}
	w.tidied()
}

type stormCounts struct{ ran, fenced, pinned, begun, busy atomic.Int64 }

// sessions runs one session after the other until stop is closed. Every second of them is pinned, and ends with its
// client: an end that met the fence was not heard.
func (w *world) sessions(counts *stormCounts, n int, stop <-chan struct{}) {
	for round := 0; ; round++ {
		session := strconv.Itoa(n) + "-" + strconv.Itoa(round)
		if round%2 == 0 {
			w.pinnedSession(counts, session, stop)
		} else {
			for range 12 {
				w.quietHook(counts, "hook", session)
			}
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

// pinnedSession is a session of a client that acc can find. It stays with the generation that answered its beginning.
func (w *world) pinnedSession(counts *stormCounts, session string, stop <-chan struct{}) {
	client := exec.Command("sleep", "600")
	if err := client.Start(); err != nil {
		w.t.Error(err)
		return
	}
	defer func() {
		w.quietHook(counts, "end", session)
		_ = client.Process.Kill()
		_ = client.Wait()
	}()
	began := w.quietHook(counts, "hook", session, strconv.Itoa(client.Process.Pid))
	if began == "" {
		return
	}
	counts.begun.Add(1)
	for range 12 {
		select {
		case <-stop:
			return
		default:
		}
		switch version := w.quietHook(counts, "hook", session); version {
		case "":
		case began:
			counts.pinned.Add(1)
		default:
			w.t.Errorf("a session that began with %s was answered by %s", began, version)
		}
	}
}

// quietHook is hook for goroutines.
func (w *world) quietHook(counts *stormCounts, args ...string) (version string) {
	var out, errs strings.Builder
	cmd := w.command(layout.Executable("acc-hook"), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("{}"), &out, &errs
	err := cmd.Run()
	version, _, _ = strings.Cut(out.String(), " ")
	switch complaint := errs.String(); {
	case err == nil && slices.Contains(versions, version) && complaint == "":
		counts.ran.Add(1)
	case err == nil && version == "" && (strings.Contains(complaint, "being updated") || strings.Contains(complaint, "being changed")):
		counts.fenced.Add(1)
	default:
		w.t.Errorf("a hook failed: %q %q %v", version, complaint, err)
	}
	return version
}

// alternate makes a generation that was never there the active one, once of a later and once of an earlier version, and
// reclaims what nobody uses.
func (w *world) alternate(i int) (ReclaimReport, error) {
	version := versions[(i+1)%2]
	dir := w.unpacked(version, 0)
	raw, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil {
		return ReclaimReport{}, err
	}
	m, err := release.DecodeManifest(raw)
	if err != nil {
		return ReclaimReport{}, err
	}
	m.Adapters = append(m.Adapters, fmt.Sprintf("zz-%d", i))
	if raw, err = m.Encode(); err == nil {
		err = os.WriteFile(filepath.Join(dir, release.ManifestName), raw, 0o600)
	}
	if err != nil {
		return ReclaimReport{}, err
	}
	s, err := w.m.Stage(w.ctx(), dir)
	if err != nil {
		return ReclaimReport{}, err
	}
	defer s.Release()
	publish := w.m.Publish
	if compare(s.Generation, w.control().Active) < 0 {
		publish = w.m.Downgrade
	}
	if err = publish(w.ctx(), s); err == nil {
		err = w.activate()
	}
	s.Release()
	if err != nil {
		return ReclaimReport{}, err
	}
	return w.m.Reclaim(w.ctx())
}

// tidied looks that a last pass leaves nothing in the runtime but what belongs there, and these records.
func (w *world) tidied(records ...string) {
	w.t.Helper()
	if r, err := w.m.Reclaim(w.ctx()); err != nil || !r.Complete || len(r.Kept) > 0 {
		w.t.Errorf("%+v, %v", r, err)
	}
	active := w.control().Active.Name
	want := append(records, "control.json", "reclaim.json", "locks/admission.lock", "locks/gen-"+active+".lock", "locks/gen-"+active+".run")
	var got []string
	err := filepath.WalkDir(w.m.at.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(w.m.at.Dir, path)
		if !strings.HasPrefix(rel, "bin/") && !strings.HasPrefix(rel, "generations/"+active+"/") {
			got = append(got, rel)
		}
		return nil
	})
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		w.t.Errorf("%v: what is left differs: %s", err, diff)
	}
	for _, dir := range []string{w.m.at.Downloads(), w.m.at.Staging(), w.m.at.Generations()} {
		entries, err := os.ReadDir(dir)
		if most := map[bool]int{true: 1, false: 0}[dir == w.m.at.Generations()]; err != nil || len(entries) > most {
			w.t.Errorf("%s holds %v, %v", dir, entries, err)
		}
	}
}
