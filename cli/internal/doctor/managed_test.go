package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/runtime/layout"
)

// TestManagedRuntime: each fault of generations is named, with the command that mends it.
func TestManagedRuntime(t *testing.T) {
	const when = "2026-11-30T12:00:00.000Z"
	p := newPatient(t)
	at := layout.In(p.home)
	p.must(os.MkdirAll(at.Dir, 0o700))
	p.must(os.WriteFile(at.Control(), []byte("{"), 0o600))
	if got := lines(p.examine(false), subjectRuntime); len(got) != 1 || !strings.HasPrefix(got[0], "fail the record of generations cannot be used: ") || !strings.HasSuffix(got[0], " -> mv '"+at.Control()+"' '"+at.Control()+"'.damaged, then acc install") {
		t.Errorf("%q", got)
	}
	generation := func(version string) (string, string) {
		name := version + "-" + strings.Repeat("a", 24)
		return name, fmt.Sprintf(`{"generation":%q,"version":%q,"buildId":"b","storeContract":7}`, name, version)
	}
	active, activeJSON := generation("2.0.0")
	pending, pendingJSON := generation("2.1.0")
	p.must(os.WriteFile(at.Control(), fmt.Appendf(nil, `{"layout":1,"phase":"activating","active":%s,"pending":%s,"auto":true,"pin":null,"checkedAt":null,"notice":"the last release was refused","home":%q,"targets":[]}`,
		activeJSON, pendingJSON, p.home.Root), 0o600))
	p.must(os.WriteFile(at.StoreUpgrade(), fmt.Appendf(nil, `{"schemaVersion":1,"active":%q,"complete":false,"attemptedAt":%q,"migrated":[],"failed":["room_x: it is damaged"]}`, active, when), 0o600))
	p.must(os.WriteFile(at.Maintenance(), []byte("{"), 0o600))
	p.fs = remote{network: true}
	got := p.examine(false)
	text := lines(got, subjectRuntime)
	for _, want := range []string{
		"ok generation " + active + " is active",
		"warn generation " + pending + " waits to become active -> acc update",
		"warn the last release was refused -> acc update",
		"fail " + at.Maintenance() + " is damaged: ",
		"warn clients are being brought to another generation, and nobody may start until that is done -> acc update, if no other one is at work",
		"fail generation " + active + " must not run: ",
		"warn generation " + pending + " must not run: ",
		"fail " + filepath.Join(at.Bin(), layout.Executable("acc-hook")) + " is missing, and clients call it -> acc install",
		"fail the runtime lies on nfs4, where locks may not be seen by everybody -> set ACC_DATA_HOME to a local directory",
		"warn 1 rooms keep the earlier contract: room_x: it is damaged -> acc doctor --migrate-store in each of them",
	} {
		found := false
		for _, line := range text {
			found = found || strings.HasPrefix(line, want)
		}
		if !found {
			t.Errorf("%q is not in\n%s", want, strings.Join(text, "\n"))
		}
	}
	p.must(os.WriteFile(at.Maintenance(), fmt.Appendf(nil, `{"schemaVersion":1,"id":"a","adapterId":"codex","status":"waiting","process":{"pid":7,"startTime":"1"},
		"caller":{"pid":8,"startTime":"1"},"approvedAt":%q,"deadline":%q,"reason":null,"note":null}`, when, when), 0o600))
	if text := strings.Join(lines(p.examine(false), subjectRuntime), "\n"); !strings.Contains(text, "warn the background service of codex, PID 7, is to be restarted for an update (waiting) -> acc update") {
		t.Error(text)
	}
	if !got.Runtime.Managed || got.Runtime.Active != active || got.Runtime.Pending != pending || !got.Runtime.Auto {
		t.Errorf("%+v", got.Runtime)
	}
}
