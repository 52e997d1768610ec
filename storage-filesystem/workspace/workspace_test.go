package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
)

func hashed(path string) string {
	return fmt.Sprintf("workspace_%x", sha256.Sum256([]byte(path)))[:len("workspace_")+32]
}

func TestDirectoryRoom(t *testing.T) {
	dir := mkdir(t, filepath.Join(temp(t), "My Project"))
	want := Descriptor{
		ID: hashed(dir), DisplayName: "My Project", Source: protocol.SourceDirectory, Dir: dir, Roots: []string{dir},
		ContextBudgetBytes: protocol.DefaultHookBudget,
	}
	if diff := cmp.Diff(want, discover(t, dir)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want, discover(t, link(t, dir, filepath.Join(filepath.Dir(dir), "link"))+"/.")); diff != "" {
		t.Errorf("through a link: (-want +got)\n%s", diff)
	}
	if err := protocol.CheckPortableID("workspace id", want.ID); err != nil {
		t.Error(err)
	}
}

// All worktrees of a repository are one room, called like the repository; each is its own checkout.
func TestWorktreesShareTheRoom(t *testing.T) {
	top := temp(t)
	main := repo(t, filepath.Join(top, "product"))
	linked := filepath.Join(top, "linked")
	run(t, main, "worktree", "add", "-q", "-b", "other", linked)
	a, b := discover(t, main), discover(t, linked)
	if a.ID != b.ID || a.ID != hashed(filepath.Join(main, ".git")) {
		t.Errorf("ids %s and %s", a.ID, b.ID)
	}
	if a.DisplayName != "product" || b.DisplayName != "product" {
		t.Errorf("names %q and %q", a.DisplayName, b.DisplayName)
	}
	if a.CheckoutRoot() != main || b.CheckoutRoot() != linked || a.Git.Branch != "main" || b.Git.Branch != "other" {
		t.Errorf("checkouts %+v and %+v", a.Git, b.Git)
	}
	if diff := cmp.Diff([]string{linked}, b.Roots); diff != "" {
		t.Error(diff)
	}
	clone := filepath.Join(top, "clone.git")
	run(t, main, "clone", "-q", "--bare", ".", clone)
	if d := discover(t, clone); d.ID == a.ID || d.DisplayName != "clone" || d.CheckoutRoot() != clone {
		t.Errorf("bare clone %+v", d)
	}
}

func TestWhereDiscoveryStarts(t *testing.T) {
	top := temp(t)
	here, named, given := mkdir(t, filepath.Join(top, "here")), mkdir(t, filepath.Join(top, "named")), mkdir(t, filepath.Join(top, "given"))
	t.Chdir(here)
	env := func(value string) func(string) string {
		return func(name string) string {
			if name == RootVariable {
				return value
			}
			return ""
		}
	}
	for _, c := range []struct {
		name string
		req  Request
		want string
		err  string
	}{
		{"current directory", Request{Env: env("")}, here, ""},
		{"variable", Request{Env: env(named)}, named, ""},
		{"directory before variable", Request{Dir: given, Env: env(named)}, given, ""},
		{"relative variable", Request{Env: env("named")}, "", `ACC_WORKSPACE_ROOT is not an absolute path: "named"`},
		{"relative directory", Request{Dir: "given"}, "", `the directory is not an absolute path: "given"`},
		{"absent", Request{Dir: filepath.Join(top, "gone")}, "", "no such file or directory"},
		{"a file", Request{Dir: os.DevNull}, "", "is not a directory"},
		{"relative configuration", Request{Dir: here, Config: "x.json"}, "", "not an absolute path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Discover(c.req)
			if c.err != "" {
				wantError(t, err, protocol.Usage, c.err)
				return
			}
			if err != nil || d.Roots[0] != c.want {
				t.Errorf("%v, %v, want %s", d.Roots, err, c.want)
			}
		})
	}
	t.Setenv(RootVariable, named)
	if d, err := Discover(Request{}); err != nil || d.Roots[0] != named {
		t.Errorf("without a reader of the environment: %v, %v", d.Roots, err)
	}
}

func TestDisplayNameIsALine(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b":                         "b",
		"/":                            "/",
		"/a/b\nc\x7f":                  "b?c?",
		"/a/\xff":                      "?",
		"/a/ ":                         "workspace",
		"/" + strings.Repeat("ü", 600): strings.Repeat("ü", 500),
	} {
		if got := displayName(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func wantError(t *testing.T, err error, code protocol.Code, parts ...string) *protocol.Error {
	t.Helper()
	var e *protocol.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v, want code %d", err, code)
	}
	for _, part := range parts {
		if !strings.Contains(e.Message, part) {
			t.Errorf("message %q lacks %q", e.Message, part)
		}
	}
	return e
}
