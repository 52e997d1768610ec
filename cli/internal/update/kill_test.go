package update

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
)

// updater starts this binary as acc update over the world, with more in its environment.
func (w *world) updater(t testing.TB, role string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Getenv("ACC_TEST_BINARY"))
	cmd.Env = append(os.Environ(), envRole+"="+role, envRegistry+"="+w.registry.URL, envKey+"="+w.public.String())
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// TestKilledAtEachStep kills the updater, or the worker of the incoming release, at every step that an update takes.
// The steps are those of one that was not killed, so a new one is tried the day that it is added. What was active
// stays whole and active until the new one is, and one more update finishes the work.
func TestKilledAtEachStep(t *testing.T) {
	traced := newWorld(t)
	traced.publish(t, "1.1.0", nil)
	steps := filepath.Join(t.TempDir(), "steps")
	if out, err := traced.updater(t, "update", envSteps+"="+steps).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != string(Updated) {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(steps)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(names)
	names = slices.Compact(names)
	for _, must := range []string{StepDiscover, StepDownload, StepVerify, StepExtract, StepTry, StepStage, StepPublish, StepActivate, "stage: hold", "stage: rename", "activate: fenced", "activate: publish", "reclaim: begin"} {
		if !slices.Contains(names, must) {
			t.Errorf("no step %q among %q", must, names)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.publish(t, "1.1.0", nil)
			out, err := w.updater(t, "update", envKill+"="+name).CombinedOutput()
			if err == nil {
				t.Errorf("it was not killed: %s", out)
			}
			if active := w.active(t); active != "1.0.0" && active != "1.1.0" {
				t.Errorf("%s is active", active)
			}
			again, err := w.updater(t, "update").CombinedOutput()
			if err != nil || w.active(t) != "1.1.0" {
				t.Errorf("once more: %v: %s", err, again)
			}
			s, err := w.Manager.Settings()
			if err != nil || s.Phase != runtime.Ready || s.Pending != nil {
				t.Errorf("%+v, %v", s, err)
			}
			if left, _ := filepath.Glob(filepath.Join(w.Manager.Layout().Downloads(), "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			// A pass of the worker of the new release removes what the killed one could not.
			if _, err := w.Manager.Reclaim(context.Background()); err != nil {
				t.Error(err)
			}
			status, err := w.Manager.Status(context.Background())
			if err != nil || len(status.Generations) != 1 {
				t.Errorf("%+v, %v", status.Generations, err)
			}
		})
	}
}

// TestProxies asks a registry that nobody can reach but through the proxy that the environment names.
func TestProxies(t *testing.T) {
	w := newWorld(t)
	w.publish(t, "1.1.0", nil)
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		asked = append(asked, q.Host)
		w.registry.ServeHTTP(out, q)
	}))
	defer proxy.Close()
	cmd := w.updater(t, "look", envRegistry+"=http://registry.invalid/", "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != string(Available) || !slices.Equal(asked, []string{"registry.invalid"}) {
		t.Errorf("%v: %s, the proxy was asked for %q", err, out, asked)
	}
}
