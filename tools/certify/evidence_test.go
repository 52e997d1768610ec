package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/certification"
)

// TestWriteEvidence: a capability passes if it passed in every way that was tried, a check that was skipped
// leaves no row, a second run replaces the first, and nothing of the machine gets in.
func TestWriteEvidence(t *testing.T) {
	dir, client := t.TempDir(), filepath.Join(t.TempDir(), "client")
	if err := os.WriteFile(client, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := &visit{client: claudeCode, path: client, version: "1.2.3", roots: []string{"/var/tmp/acc-certify-77"}}
	call := &hookCall{Stdin: json.RawMessage(`{"cwd":"/var/tmp/acc-certify-77/project"}`), Stdout: "ACC --generation SECRET-_1 x"}
	found := func(resume bool) []finding {
		capability := func(c certification.Capability, mode string) finding {
			return finding{check: string(c), mode: mode, saw: "it", idle: "i", busy: "b", call: call, received: "tmp/acc-certify-7"}
		}
		return complete([]finding{
			judged(capability(certification.SessionStart, printMode), true), judged(capability(certification.SessionStart, terminalMode), true),
			judged(capability(certification.GuardWrite, printMode), true), judged(capability(certification.GuardWrite, terminalMode), false),
			judged(capability(certification.SessionResume, terminalMode), resume), judged(finding{check: afterClear, mode: terminalMode, saw: "it"}, true),
			notTried(string(certification.ChildSessions), terminalMode, "no"),
		}, claudeCode)
	}
	results := func() map[certification.Capability]certification.Evidence {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "certification.json"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := certification.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		all := map[certification.Capability]certification.Evidence{}
		for _, row := range m.Rows() {
			all[row.Capability] = row
		}
		return all
	}
	for _, resume := range []bool{false, true} {
		if err := v.writeEvidence(dir, found(resume)); err != nil {
			t.Fatal(err)
		}
		rows := results()
		if len(rows) != 3 || rows[certification.SessionStart].ObservedState != certification.Pass || rows[certification.GuardWrite].ObservedState != certification.Fail {
			t.Errorf("%+v", rows)
		}
		if got := rows[certification.SessionResume]; (got.ObservedState == certification.Pass) != resume || strings.Join(got.Limitations, "") != "seen in a terminal only" {
			t.Errorf("%+v", got)
		}
	}
	var record checks
	if err := load(filepath.Join(dir, "fixtures", "1.2.3-"+platformOfNode(), checksFile), &record); err != nil {
		t.Fatal(err)
	}
	r := recorded{checks: record}
	for name, want := range map[string]state{
		string(certification.SessionStart): passed, string(certification.GuardWrite): failed, string(certification.ChildSessions): skipped,
		string(certification.Heartbeat): skipped, afterClear: passed, twoAtOnce: skipped,
	} {
		if got := r.state(name); got != want {
			t.Errorf("%s is on record as %s, want %s", name, got, want)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "fixtures", "*", "*.json"))
	if err != nil || len(files) != 5 {
		t.Errorf("%q, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(data); strings.Contains(text, "acc-certify") || strings.Contains(text, "SECRET") || strings.Contains(text, "cwd") && !strings.Contains(text, `"/lab/project"`) {
			t.Errorf("%s holds %s", file, text)
		}
	}
}
