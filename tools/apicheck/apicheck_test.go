package apicheck

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/tools/worktree"
)

var update = flag.Bool("update", false, "write the types of now as those of the last release")

// contracts are the modules that vendors build against.
var contracts = []string{"protocol", "adapter-sdk", "adapter-sdk/adaptertest"}

func TestVendorsCanStillBuild(t *testing.T) {
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range contracts {
		t.Run(dir, func(t *testing.T) {
			env := append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "GOFLAGS=")
			now, err := Load(t.Context(), filepath.Join(root, filepath.FromSlash(dir)), env)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", strings.ReplaceAll(dir, "/", "-")+".zip")
			if *update {
				if err := Write(now, file); err != nil {
					t.Fatal(err)
				}
			}
			old, err := Read(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(old.Packages) == 0 || old.Path != now.Path {
				t.Fatalf("%s holds %d packages of %s", file, len(old.Packages), old.Path)
			}
			if broken := Breaks(old, now); len(broken) > 0 {
				t.Errorf("adapters that were built against the last release would not compile:\n%s\n"+
					"keep what they use; if the break is meant, say so in a changelog fragment and run: go test ./tools/apicheck -update", strings.Join(broken, "\n"))
			}
		})
	}
}

// before is a module as it was; the cases change it.
const before = `package sdk

type Client interface{ Normalize(call Call) error }

type Call struct{ Payload []byte }

type Option func()

const Limit = 10

func New(c Client) bool { return c != nil }
`

func TestWhatBreaksIsFound(t *testing.T) {
	tests := []struct {
		name, from, to string
		want           string // part of what is found; "": nothing
	}{
		{"nothing changed", "", "", ""},
		{"a method more is one that no vendor has", "Normalize(call Call) error", "Normalize(call Call) error; Inject() error", "Client.Inject: added"},
		{"another signature", "Normalize(call Call)", "Normalize(call *Call)", "Client.Normalize: changed"},
		{"a name is gone", "type Option func()", "type Choice func()", "Option: removed"},
		{"a member is gone", "struct{ Payload []byte }", "struct{}", "Call.Payload: removed"},
		{"another value", "Limit = 10", "Limit = 11", "Limit: value changed"},
		{"a member more", "struct{ Payload []byte }", "struct{ Payload []byte; Event string }", ""},
		{"a name more", "const Limit = 10", "const Limit = 10\n\ntype Injector interface{ Inject() error }", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			load := func(text string) string {
				dir := t.TempDir()
				for name, text := range map[string]string{
					"go.mod": "module example.com/sdk\n\ngo 1.26.0\n", "sdk.go": text, "internal/x/x.go": "package x\n\ntype X" + strings.Repeat("X", len(text)%2) + " int\n",
				} {
					path := filepath.Join(dir, filepath.FromSlash(name))
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				m, err := Load(t.Context(), dir, append(os.Environ(), "GOWORK=off", "GOFLAGS="))
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(dir, "types.zip")
				if err := Write(m, file); err != nil {
					t.Fatal(err)
				}
				return file
			}
			old, err := Read(load(before))
			if err != nil {
				t.Fatal(err)
			}
			now, err := Read(load(strings.Replace(before, tt.from, tt.to, 1)))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(Breaks(old, now), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}
