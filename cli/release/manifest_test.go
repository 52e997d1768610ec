package release_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// sample is a manifest that holds.
func sample() *release.Manifest {
	m := &release.Manifest{
		Name: "@example/acc", Version: "1.2.3", BuildID: strings.Repeat("0a", 12), Platform: "linux-x64",
		StoreContract: 7, UpdateProtocol: 1, Adapters: []string{"claude_code", "codex"},
	}
	for _, path := range []string{"LICENSE", "bin/acc", "bin/acc-hook", "bin/acc-mcp", "bin/acc-worker", "package.json"} {
		f := release.FileInfo{Path: path, Mode: release.Plain, Size: 3, SHA256: strings.Repeat("ab", 32)}
		if strings.HasPrefix(path, "bin/") {
			f.Mode = release.Program
		}
		m.Files = append(m.Files, f)
	}
	return m
}

func TestManifestRoundTrip(t *testing.T) {
	data, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	m, err := release.DecodeManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), m); diff != "" {
		t.Error(diff)
	}
	again, err := m.Encode()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%v\n%s\n%s", err, data, again)
	}
	if f, ok := m.File("bin/acc-hook"); !ok || f.Mode.Perm() != 0o755 {
		t.Errorf("%+v %v", f, ok)
	}
	if _, ok := m.File("bin/acc-"); ok {
		t.Error("found a file that is not declared")
	}
}

func TestManifestOfALaterReleaseIsRead(t *testing.T) {
	data, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Replace(data, []byte(`"name"`), []byte(`"later": {"a": 1}, "name"`), 1)
	if _, err := release.DecodeManifest(later); err != nil {
		t.Error(err)
	}
	if release.Fingerprint(data) == release.Fingerprint(later) {
		t.Error("two manifests have one fingerprint")
	}
}

func TestManifestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, problem string
		change        func(*release.Manifest)
	}{
		{"no name", "$.name", func(m *release.Manifest) { m.Name = "" }},
		{"a name that is a path", "$.name", func(m *release.Manifest) { m.Name = "../acc" }},
		{"a prerelease", "$.version", func(m *release.Manifest) { m.Version = "1.2.3-rc.1" }},
		{"leading zero", "$.version", func(m *release.Manifest) { m.Version = "1.02.3" }},
		{"no build id", "$.buildId", func(m *release.Manifest) { m.BuildID = "" }},
		{"an unknown platform", "$.platform", func(m *release.Manifest) { m.Platform = "plan9-x64" }},
		{"no store contract", "$.storeContract", func(m *release.Manifest) { m.StoreContract = 0 }},
		{"unsorted adapters", "$.adapters", func(m *release.Manifest) { m.Adapters = []string{"b", "a"} }},
		{"an adapter twice", "$.adapters[1]", func(m *release.Manifest) { m.Adapters = []string{"a", "a"} }},
		{"a way out", "$.files[1].path", func(m *release.Manifest) { m.Files[1].Path = "bin/../../x" }},
		{"an absolute path", "$.files[0].path", func(m *release.Manifest) { m.Files[0].Path = "/LICENSE" }},
		{"a drive", "$.files[0].path", func(m *release.Manifest) { m.Files[0].Path = "C:LICENSE" }},
		{"a backslash", "$.files[0].path", func(m *release.Manifest) { m.Files[0].Path = `A\b` }},
		{"a name that ends with a dot", "$.files[0].path", func(m *release.Manifest) { m.Files[0].Path = "LICENSE." }},
		{"a hidden file", "$.files[0].path", func(m *release.Manifest) { m.Files[0].Path = ".npmrc" }},
		{"unsorted files", "$.files[1].path", func(m *release.Manifest) { m.Files[0], m.Files[1] = m.Files[1], m.Files[0] }},
		{"a file twice", "$.files[1].path", func(m *release.Manifest) { m.Files[0].Path = m.Files[1].Path }},
		{"the same in another case", "$.files[1].path", func(m *release.Manifest) { m.Files[0].Path = "BIN/acc" }},
		{"below a file", "$.files[0].path", func(m *release.Manifest) { m.Files[0].Path = "Bin/acc/x" }},
		{"the manifest itself", "$.files[5].path", func(m *release.Manifest) { m.Files[5].Path = "manifest.json" }},
		{"a signature", "$.files[5].path", func(m *release.Manifest) { m.Files[5].Path = "manifest.json.x" }},
		{"another mode", "$.files[0].mode", func(m *release.Manifest) { m.Files[0].Mode = "0777" }},
		{"a file that is too large", "$.files[0].size", func(m *release.Manifest) { m.Files[0].Size = release.MaxFileSize + 1 }},
		{"too much together", "$.files", func(m *release.Manifest) {
			for i := range m.Files {
				m.Files[i].Size = release.MaxFileSize
			}
		}},
		{"no digest", "$.files[0].sha256", func(m *release.Manifest) { m.Files[0].SHA256 = "x" }},
		{"no hook", "$.files", func(m *release.Manifest) { m.Files[2].Path = "bin/acc-hooks" }},
		{"a hook that is no program", "$.files", func(m *release.Manifest) { m.Files[2].Mode = release.Plain }},
		{"the files of another platform", "$.files", func(m *release.Manifest) { m.Platform = "win32-x64" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sample()
			c.change(m)
			_, err := m.Encode()
			if protocol.ReasonOf(err) != release.ReasonManifestInvalid || !strings.Contains(err.Error(), c.problem+":") {
				t.Errorf("got %v, want a refusal of %s", err, c.problem)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	for _, bad := range []string{"", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.3-rc", "1.2.3+x", "01.2.3", "1.2.-3", "1.2.99999999999", "1.2.3 "} {
		if v, ok := release.ParseVersion(bad); ok {
			t.Errorf("%q is %v", bad, v)
		}
	}
	ordered := []string{"0.9.10", "0.10.0", "1.0.0", "1.0.1", "1.1.0", "10.0.0"}
	for i, a := range ordered {
		v, ok := release.ParseVersion(a)
		if !ok || v.String() != a {
			t.Fatalf("%q: %v", a, v)
		}
		for j, b := range ordered {
			w, _ := release.ParseVersion(b)
			if got := v.Compare(w); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
}
