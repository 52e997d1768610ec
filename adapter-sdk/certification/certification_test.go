package certification

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/adapter-sdk/release"
	"github.com/acc-control-plane/acc/protocol"
)

// row writes one row as JSON.
func row(version, platform string, capability Capability, result Result) string {
	return `{"client":"c","version":"` + version + `","platform":"` + platform + `","observedAt":"2026-11-30","capability":"` + string(capability) +
		`","fixture":"fixtures/a.json","provenance":"fixtures/p.json","provenanceId":"run-1","idleBehavior":"x","busyBehavior":"x","authorityLevel":"user",` +
		`"limitations":[],"result":"` + string(result) + `"}`
}

func parse(t interface {
	Helper()
	Fatal(...any)
}, rows ...string) Manifest {
	t.Helper()
	m, err := Parse([]byte(`{"evidence":[` + strings.Join(rows, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestForwardRule(t *testing.T) {
	const linux, mac = "linux-x64", "darwin-arm64"
	pass := func(v, p string) string { return row(v, p, GuardWrite, Pass) }
	fail := func(v, p string) string { return row(v, p, GuardWrite, Fail) }
	tests := []struct {
		name    string
		rows    []string
		version string
		want    Verdict
	}{
		{"the verified version", []string{pass("2.1.0", linux)}, "2.1.0", Verdict{On: true, Version: "2.1.0"}},
		{"a later one", []string{pass("2.1.0", linux)}, "3.0.0", Verdict{On: true, Version: "2.1.0"}},
		{"an earlier one", []string{pass("2.1.0", linux)}, "2.0.9", Verdict{Refusal: TooOld, Version: "2.1.0"}},
		{"numbers are no text", []string{pass("2.9.0", linux)}, "2.10.0", Verdict{On: true, Version: "2.9.0"}},
		{"stopped", []string{pass("2.1.0", linux), fail("2.2.0", linux)}, "2.3.0", Verdict{Refusal: Stopped, Version: "2.2.0"}},
		{"before it stopped", []string{pass("2.1.0", linux), fail("2.2.0", linux)}, "2.1.5", Verdict{On: true, Version: "2.1.0"}},
		{"works again", []string{pass("2.1.0", linux), fail("2.2.0", linux), pass("2.3.0", linux)}, "2.3.0", Verdict{On: true, Version: "2.3.0"}},
		{"a failure wins a tie", []string{pass("2.1.0-a", linux), fail("2.1.0-b", linux)}, "2.1.0", Verdict{Refusal: Stopped, Version: "2.1.0-b"}},
		{"a prerelease is its release", []string{pass("2.1.0-beta.1", linux)}, "2.1.0-alpha", Verdict{On: true, Version: "2.1.0-beta.1"}},
		{"another platform stands in", []string{pass("2.1.0", mac)}, "2.1.0", Verdict{On: true, Version: "2.1.0"}},
		{"but not where the platform was tried", []string{pass("2.1.0", mac), fail("2.0.0", linux)}, "2.1.0", Verdict{Refusal: Stopped, Version: "2.0.0"}},
		{"an unknown version is the newest tried", []string{pass("2.1.0", linux), fail("2.2.0", linux)}, "", Verdict{Refusal: Stopped, Version: "2.2.0"}},
		{"an unreadable version too", []string{fail("2.1.0", linux), pass("2.2.0", linux)}, "banana", Verdict{On: true, Version: "2.2.0"}},
		{"never seen", []string{row("2.1.0", linux, NextTurn, Pass)}, "2.1.0", Verdict{Refusal: NotVerified}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, tt.rows...).Judge([]Capability{GuardWrite}, GuardWrite, Client{"c", tt.version, "linux-x64"})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (got.Text() == "") != got.On {
				t.Errorf("text %q", got.Text())
			}
		})
	}
	m := parse(t, pass("2.1.0", linux))
	if got := m.Judge(nil, GuardWrite, Client{"c", "2.1.0", linux}); got.Refusal != NotDeclared {
		t.Errorf("undeclared: %+v", got)
	}
	if got := m.Judge([]Capability{GuardWrite}, GuardWrite, Client{"another", "2.1.0", linux}); got.Refusal != NotVerified {
		t.Errorf("another client's evidence: %+v", got)
	}
}

// TestForwardIsMonotonic: without a failure on record, what is on in one version is on in every later
// one, and the order of rows does not matter.
func TestForwardIsMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		versions := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"1.0.0", "1.0.9", "1.0.10", "1.2.0", "2.0.0", "10.0.0"}), 1, 4, rapid.ID[string]).Draw(t, "rows")
		var rows []string
		for _, v := range versions {
			rows = append(rows, row(v, "linux-x64", NextTurn, Pass))
		}
		m := parse(t, rows...)
		turned := parse(t, rapid.Permutation(rows).Draw(t, "order")...)
		on := false
		for _, v := range []string{"0.9.0", "1.0.0", "1.0.9", "1.0.10", "1.1.0", "1.2.0", "2.0.0", "9.9.9", "10.0.0", "11.0.0"} {
			got := m.Judge([]Capability{NextTurn}, NextTurn, Client{"c", v, "linux-x64"})
			if on && !got.On {
				t.Fatalf("on before %s, off in it: %+v", v, got)
			}
			on = got.On
			if other := turned.Judge([]Capability{NextTurn}, NextTurn, Client{"c", v, "linux-x64"}); other != got {
				t.Fatalf("order matters in %s: %+v and %+v", v, got, other)
			}
		}
	})
}

func TestManifestIsClosed(t *testing.T) {
	good := row("2.1.0", "linux-x64", GuardWrite, Pass)
	if _, err := Parse([]byte(`{"evidence":[` + good + `]}`)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"unknown member":       strings.Replace(good, "{", `{"x":1,`, 1),
		"missing member":       strings.Replace(good, `"idleBehavior":"x",`, "", 1),
		"skipped":              strings.Replace(good, `"pass"`, `"skipped"`, 1),
		"unknown capability":   strings.Replace(good, "guards.beforeWrite", "guards.beforeLunch", 1),
		"two numbers":          strings.Replace(good, "2.1.0", "2.1", 1),
		"a leading zero":       strings.Replace(good, "2.1.0", "2.01.0", 1),
		"an empty suffix":      strings.Replace(good, "2.1.0", "2.1.0-", 1),
		"a range":              strings.Replace(good, "2.1.0", "2.1.x", 1),
		"another platform":     strings.Replace(good, "linux-x64", "plan9-x64", 1),
		"a local time":         strings.Replace(good, "2026-11-30", "2026-11-30T10:00:00+01:00", 1),
		"no such day":          strings.Replace(good, "2026-11-30", "2026-11-31", 1),
		"a fixture elsewhere":  strings.Replace(good, "fixtures/a.json", "fixtures/../a.json", 1),
		"a fixture from a web": strings.Replace(good, "fixtures/a.json", "https://x/a.json", 1),
		"a fixture that's not": strings.Replace(good, "fixtures/a.json", "fixtures/a.png", 1),
		"twice":                good + "," + good,
		"twice, other result":  good + "," + row("2.1.0", "linux-x64", GuardWrite, Fail),
	}
	for name, rows := range tests {
		if _, err := Parse([]byte(`{"evidence":[` + rows + `]}`)); protocol.CodeOf(err) != protocol.Data {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, data := range []string{"", "[]", `{}`, `{"evidence":null}`, `{"evidence":[]} x`} {
		if _, err := Parse([]byte(data)); err == nil {
			t.Errorf("%q was read", data)
		}
	}
}

// TestDeclarationsNeedBoth code and evidence.
func TestDeclarationsNeedBoth(t *testing.T) {
	m := parse(t, row("2.1.0", "linux-x64", GuardWrite, Pass), row("2.1.0", "linux-x64", NextTurn, Fail))
	all := func(Capability) bool { return true }
	tests := []struct {
		name     string
		declared []Capability
		can      func(Capability) bool
		ok       bool
	}{
		{"both", []Capability{GuardWrite}, all, true},
		{"nothing declared", nil, func(Capability) bool { return false }, true},
		{"no code", []Capability{GuardWrite}, func(Capability) bool { return false }, false},
		{"no evidence", []Capability{Heartbeat}, all, false},
		{"only a failure", []Capability{NextTurn}, all, false},
		{"twice", []Capability{GuardWrite, GuardWrite}, all, false},
		{"no capability", []Capability{"guards.lunch"}, all, false},
	}
	for _, tt := range tests {
		if err := m.Check("c", tt.declared, tt.can); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestPlatform(t *testing.T) {
	for in, want := range map[[2]string]string{
		{"linux", "amd64"}: "linux-x64", {"darwin", "arm64"}: "darwin-arm64", {"windows", "amd64"}: "win32-x64",
	} {
		if got := Platform(in[0], in[1]); got != want {
			t.Errorf("%v: %s, want %s", in, got, want)
		}
	}
}

func TestFormat(t *testing.T) {
	m := parse(t, row("2.1.0", "linux-x64", GuardWrite, Pass), row("2.2.0", "linux-x64", GuardWrite, Fail))
	data, err := Format(m.Rows())
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(data)
	if diff := cmp.Diff(m.Rows(), again.Rows()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if data, err := Format(append(m.Rows(), m.Rows()[0])); err == nil {
		t.Errorf("a row that is there twice was written: %s", data)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"evidence":[` + row("2.1.0", "linux-x64", GuardWrite, Pass) + `]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		for _, e := range m.Rows() {
			if _, ok := release.Parse(e.Version); !ok || !local(e.Fixture) {
				t.Errorf("accepted %+v", e)
			}
		}
	})
}
