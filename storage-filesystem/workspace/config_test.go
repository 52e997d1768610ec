package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

const minimal = `{"schemaVersion":1,"workspaceId":"team"}`

func TestParseConfig(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       Config
		err        string
	}{
		{"least", minimal, Config{WorkspaceID: "team"}, ""},
		{"all", `{"schemaVersion":1,"workspaceId":"team","displayName":"Our team","roots":[".","a/../b"],
			"policy":{"claimMode":"guarded","contextBudgetBytes":64000},"requiredAdapters":["codex"],"extensions":{"x":true}}`,
			Config{
				WorkspaceID: "team", DisplayName: "Our team", Roots: []string{".", "a/../b"},
				Policy: &Policy{ClaimMode: protocol.Guarded, ContextBudgetBytes: 64000}, RequiredAdapters: []string{"codex"},
				Extensions: protocol.Extensions{"x": []byte(`true`)},
			}, ""},
		{"runtime state", `{"schemaVersion":1,"workspaceId":"team","sessions":[]}`, Config{}, `"sessions" is runtime state`},
		{"credentials", `{"credentials":{},"schemaVersion":1,"workspaceId":"team"}`, Config{}, `"credentials" is runtime state`},
		{"unknown", `{"schemaVersion":1,"workspaceId":"team","color":1}`, Config{}, "$.color: unknown member"},
		{"wrong case", `{"schemaVersion":1,"workspaceID":"team"}`, Config{}, `the name is "workspaceId"`},
		{"no version", `{"workspaceId":"team"}`, Config{}, "$.schemaVersion: is missing"},
		{"other version", `{"schemaVersion":2,"workspaceId":"team"}`, Config{}, "$.schemaVersion: must be 1"},
		{"no id", `{"schemaVersion":1}`, Config{}, "$.workspaceId: is missing"},
		{"id leads elsewhere", `{"schemaVersion":1,"workspaceId":"../x"}`, Config{}, "$.workspaceId"},
		{"null", `{"schemaVersion":1,"workspaceId":null}`, Config{}, "$.workspaceId: null is not allowed"},
		{"twice", `{"schemaVersion":1,"workspaceId":"a","workspaceId":"b"}`, Config{}, "duplicate"},
		{"no roots", `{"schemaVersion":1,"workspaceId":"team","roots":[]}`, Config{}, "$.roots"},
		{"root leaves", `{"schemaVersion":1,"workspaceId":"team","roots":[".","a/../../b"]}`, Config{}, "$.roots[1]: must not leave"},
		{"budget 0", `{"schemaVersion":1,"workspaceId":"team","policy":{"contextBudgetBytes":0}}`, Config{}, "$.policy.contextBudgetBytes"},
		{"budget too large", `{"schemaVersion":1,"workspaceId":"team","policy":{"contextBudgetBytes":64001}}`, Config{}, "$.policy.contextBudgetBytes"},
		{"policy unknown", `{"schemaVersion":1,"workspaceId":"team","policy":{"claim":1}}`, Config{}, "$.policy.claim: unknown member"},
		{"mode", `{"schemaVersion":1,"workspaceId":"team","policy":{"claimMode":"strict"}}`, Config{}, "$.policy.claimMode"},
		{"trailing", minimal + "{}", Config{}, "trailing"},
		{"not JSON", "workspaceId: team", Config{}, "$"},
		{"empty", "", Config{}, "$"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseConfig([]byte(c.data))
			if c.err != "" {
				wantError(t, err, protocol.Data, c.err)
				return
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Fatalf("%v (-want +got)\n%s", err, diff)
			}
			data, err := got.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := ParseConfig(data)
			if diff := cmp.Diff(got, again); err != nil || diff != "" {
				t.Errorf("written and read again: %v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestRootProblem(t *testing.T) {
	for root, ok := range map[string]bool{
		".": true, "a": true, "a/b": true, "./a/": true, "a/../b": true, "a..": true, "..a": true, `a\b`: true, "a b": true, "ü": true,
		"": false, "/": false, "/a": false, `\a`: false, `\\host\share`: false, "//host/share": false, "C:": false, `C:\a`: false, "c:/a": false, "C:a": false,
		"..": false, "../a": false, "a/../..": false, `a\..\..`: false, `..\a`: false, "a/b/../../../c": false, "./..": false, "a\nb": false, "a\x00": false,
	} {
		if problem := rootProblem(root); (problem == "") != ok {
			t.Errorf("%q: %q", root, problem)
		}
	}
}

func TestConfigRoom(t *testing.T) {
	top := temp(t)
	file := filepath.Join(top, "p", ConfigName)
	write(t, file, `{"schemaVersion":1,"workspaceId":"team","roots":["a","b","c/.."],"policy":{"contextBudgetBytes":100}}`)
	a := mkdir(t, filepath.Join(top, "p", "a", "deep"))
	mkdir(t, filepath.Join(top, "p", "c"))
	link(t, "a", filepath.Join(top, "p", "b"))
	repo(t, filepath.Join(top, "p", "a"))
	want := Descriptor{
		ID: "team", DisplayName: "p", Source: protocol.SourceConfig, Dir: a,
		Roots:     []string{filepath.Join(top, "p", "a"), filepath.Join(top, "p")}, // b is a
		ConfigDir: filepath.Join(top, "p"), ContextBudgetBytes: 100,
		Git: ask(a),
	}
	if diff := cmp.Diff(want, discover(t, a)); diff != "" {
		t.Errorf("found on the way up: (-want +got)\n%s", diff)
	}

	elsewhere := mkdir(t, filepath.Join(top, "elsewhere"))
	got, err := Discover(Request{Dir: elsewhere, Config: file})
	want.Git, want.Dir = nil, elsewhere
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("named: %v (-want +got)\n%s", err, diff)
	}
	got, err = Discover(Request{Dir: a, Config: file, Head: true})
	want.Git, want.Dir = ask(a), a
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("named from inside: %v (-want +got)\n%s", err, diff)
	}

	// A nearer one wins, whatever Git says.
	write(t, filepath.Join(a, ConfigName), `{"schemaVersion":1,"workspaceId":"nearer","displayName":"Nearer"}`)
	if d := discover(t, a); d.ID != "nearer" || d.DisplayName != "Nearer" || d.ContextBudgetBytes != protocol.DefaultHookBudget || d.Roots[0] != a {
		t.Errorf("nearer: %+v", d)
	}
}

func TestAConfigThatCannotBeUsedIsAnError(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		err  string
	}{
		{"link", func(t *testing.T, path string) {
			write(t, path+".real", minimal)
			link(t, path+".real", path)
		}, "is a symbolic link"},
		{"dangling link", func(t *testing.T, path string) { link(t, "nowhere", path) }, "is a symbolic link"},
		{"directory", func(t *testing.T, path string) { mkdir(t, path) }, "is not a regular file"},
		{"too large", func(t *testing.T, path string) { write(t, path, minimal+strings.Repeat(" ", MaxConfigBytes)) }, "is too large"},
		{"malformed", func(t *testing.T, path string) { write(t, path, "{") }, "$"},
		{"root is absent", func(t *testing.T, path string) {
			write(t, path, `{"schemaVersion":1,"workspaceId":"team","roots":["gone"]}`)
		}, `names the root "gone"`},
		{"root is a file", func(t *testing.T, path string) {
			write(t, path, `{"schemaVersion":1,"workspaceId":"team","roots":["acc.workspace.json"]}`)
		}, "which is no directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := repo(t, temp(t))
			path := filepath.Join(dir, ConfigName)
			c.make(t, path)
			sub := mkdir(t, filepath.Join(dir, "sub"))
			for _, req := range []Request{{Dir: sub}, {Dir: sub, Config: path}} {
				_, err := Discover(req)
				if e := wantError(t, err, protocol.Data, path, c.err); e.Hint == "" {
					t.Error("no advice")
				}
			}
		})
	}
	dir := temp(t)
	_, err := Discover(Request{Dir: dir, Config: filepath.Join(dir, ConfigName)})
	wantError(t, err, protocol.Data, ConfigName, "no such file")
}

// A file that is there and may not be read could name another room, so going on would be a guess.
func TestAnUnreadableConfigIsAnError(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(temp(t), ConfigName)
	write(t, path, minimal)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := Discover(Request{Dir: filepath.Dir(path)})
	wantError(t, err, protocol.Data, path)
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte(`{"schemaVersion":1,"workspaceId":"team","roots":["a/.."],"policy":{"claimMode":"guarded"},"extensions":{"x":[1]}}`))
	f.Add([]byte(`{"schemaVersion":1,"workspaceId":"team","tokens":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig(data)
		if err != nil {
			wantError(t, err, protocol.Data)
			return
		}
		if err := protocol.CheckPortableID("workspace id", c.WorkspaceID); err != nil {
			t.Error(err)
		}
		for _, r := range c.Roots {
			if !filepath.IsLocal(filepath.FromSlash(strings.ReplaceAll(r, `\`, "/"))) {
				t.Errorf("root %q leaves the directory", r)
			}
		}
		encoded, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseConfig(encoded)
		if err != nil || again.WorkspaceID != c.WorkspaceID || len(again.Roots) != len(c.Roots) {
			t.Errorf("written and read again: %+v, %v", again, err)
		}
	})
}
