package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

// run runs the real git, which is the judge of these tests, in an environment of its own.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := try(dir, args...)
	if err != nil {
		t.Fatalf("git %s in %s: %v\n%s", strings.Join(args, " "), dir, err, out)
	}
	return out
}

func try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

// repo makes a repository with one commit on branch main. Without further options it is a copy of the
// first one, which saves most of the time of these tests.
func repo(t *testing.T, dir string, options ...string) string {
	t.Helper()
	mkdir(t, dir)
	if len(options) > 0 {
		run(t, dir, append([]string{"init", "-q", "-b", "main"}, options...)...)
		commit(t, dir)
		return dir
	}
	once.Do(func() {
		run(t, template, "init", "-q", "-b", "main", "--template=")
		commit(t, template)
	})
	if err := os.CopyFS(filepath.Join(dir, ".git"), os.DirFS(filepath.Join(template, ".git"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

var (
	template string // directory of the repository that is copied
	once     sync.Once
)

func TestMain(m *testing.M) {
	var err error
	if template, err = os.MkdirTemp("", "acc-workspace-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(template)
	os.Exit(code)
}

func commit(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "x")
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) string {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// temp is a canonical temporary directory: on macOS the usual one lies behind a link.
func temp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// ask is what git itself says.
func ask(dir string) *Git {
	common, err := try(dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(common); err == nil {
		common = real
	}
	g := &Git{CommonDir: filepath.FromSlash(common)}
	if root, err := try(dir, "rev-parse", "--show-toplevel"); err == nil {
		g.WorktreeRoot = filepath.FromSlash(root)
	}
	if branch, err := try(dir, "branch", "--show-current"); err == nil {
		g.Branch = branch
	}
	if id, err := try(dir, "rev-parse", "--verify", "-q", "HEAD"); err == nil {
		g.Head = id
	}
	return g
}

func discover(t *testing.T, dir string) Descriptor {
	t.Helper()
	d, err := Discover(Request{Dir: dir, Head: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every case makes a directory; what is found there must be what git finds.
func TestAgreesWithGit(t *testing.T) {
	for _, c := range []struct {
		name string
		none bool // no repository is expected
		make func(t *testing.T, top string) (dir string)
	}{
		{"new", false, func(t *testing.T, top string) string {
			run(t, top, "init", "-q", "-b", "trunk")
			return top
		}},
		{"one commit", false, func(t *testing.T, top string) string { return repo(t, top) }},
		{"subdirectory", false, func(t *testing.T, top string) string { return mkdir(t, filepath.Join(repo(t, top), "a", "b")) }},
		{"branch with slashes", false, func(t *testing.T, top string) string {
			run(t, repo(t, top), "switch", "-q", "-c", "feature/one/ünïcode")
			return top
		}},
		{"detached", false, func(t *testing.T, top string) string {
			run(t, repo(t, top), "switch", "-q", "--detach")
			return top
		}},
		{"packed", false, func(t *testing.T, top string) string {
			repo(t, top)
			run(t, top, "-c", "user.name=a", "-c", "user.email=a@b.c", "tag", "-a", "-m", "x", "main.tag")
			run(t, top, "branch", "amain")
			run(t, top, "branch", "main2")
			run(t, top, "pack-refs", "--all")
			if _, err := os.Stat(filepath.Join(top, ".git", "refs", "heads", "main")); err == nil {
				t.Fatal("nothing was packed")
			}
			return top
		}},
		{"packed, then newer", false, func(t *testing.T, top string) string {
			run(t, repo(t, top), "pack-refs", "--all")
			commit(t, top)
			return top
		}},
		{"SHA-256", false, func(t *testing.T, top string) string { return repo(t, top, "--object-format=sha256") }},
		{"linked worktree", false, func(t *testing.T, top string) string {
			run(t, repo(t, filepath.Join(top, "main")), "worktree", "add", "-q", "-b", "other", filepath.Join(top, "linked"))
			return mkdir(t, filepath.Join(top, "linked", "sub"))
		}},
		{"linked worktree, packed", false, func(t *testing.T, top string) string {
			run(t, repo(t, filepath.Join(top, "main")), "worktree", "add", "-q", "-b", "other", filepath.Join(top, "linked"))
			run(t, filepath.Join(top, "main"), "pack-refs", "--all")
			return filepath.Join(top, "linked")
		}},
		{"linked worktree in the main one, detached", false, func(t *testing.T, top string) string {
			run(t, repo(t, top), "worktree", "add", "-q", "--detach", filepath.Join(top, ".claude", "worktrees", "x"))
			return filepath.Join(top, ".claude", "worktrees", "x")
		}},
		{"submodule", false, func(t *testing.T, top string) string {
			inner := repo(t, filepath.Join(top, "inner"))
			outer := repo(t, filepath.Join(top, "outer"))
			run(t, outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "vendor/inner")
			return filepath.Join(outer, "vendor", "inner")
		}},
		{"worktree of a submodule", false, func(t *testing.T, top string) string {
			inner := repo(t, filepath.Join(top, "inner"))
			outer := repo(t, filepath.Join(top, "outer"))
			run(t, outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "inner")
			run(t, filepath.Join(outer, "inner"), "worktree", "add", "-q", "-b", "w", filepath.Join(top, "w"))
			return filepath.Join(top, "w")
		}},
		{"bare", false, func(t *testing.T, top string) string {
			run(t, repo(t, filepath.Join(top, "a")), "clone", "-q", "--bare", ".", filepath.Join(top, "a.git"))
			return filepath.Join(top, "a.git")
		}},
		{"below a bare one", false, func(t *testing.T, top string) string {
			run(t, repo(t, filepath.Join(top, "a")), "clone", "-q", "--bare", ".", filepath.Join(top, "a.git"))
			return filepath.Join(top, "a.git", "objects")
		}},
		{"worktree of a bare one", false, func(t *testing.T, top string) string {
			run(t, repo(t, filepath.Join(top, "a")), "clone", "-q", "--bare", ".", filepath.Join(top, "a.git"))
			run(t, filepath.Join(top, "a.git"), "worktree", "add", "-q", "-b", "w", filepath.Join(top, "w"))
			return filepath.Join(top, "w")
		}},
		{"separate git directory", false, func(t *testing.T, top string) string {
			return repo(t, filepath.Join(top, "work"), "--separate-git-dir", filepath.Join(top, "elsewhere"))
		}},
		{"relative git file", false, func(t *testing.T, top string) string {
			dir := repo(t, filepath.Join(top, "work"), "--separate-git-dir", filepath.Join(top, "elsewhere"))
			write(t, filepath.Join(dir, ".git"), "gitdir: ../work/../elsewhere\r\n")
			return dir
		}},
		{"in .git", false, func(t *testing.T, top string) string { return filepath.Join(repo(t, top), ".git", "refs") }},
		{"through a link", false, func(t *testing.T, top string) string {
			repo(t, filepath.Join(top, "real"))
			mkdir(t, filepath.Join(top, "real", "sub"))
			return link(t, filepath.Join(top, "real", "sub"), filepath.Join(top, "link"))
		}},
		{".git is a link", false, func(t *testing.T, top string) string {
			repo(t, filepath.Join(top, "real"))
			link(t, filepath.Join(top, "real", ".git"), filepath.Join(mkdir(t, filepath.Join(top, "two")), ".git"))
			return filepath.Join(top, "two")
		}},
		{"HEAD is a link", false, func(t *testing.T, top string) string {
			repo(t, top)
			if err := os.Remove(filepath.Join(top, ".git", "HEAD")); err != nil {
				t.Fatal(err)
			}
			link(t, "refs/heads/main", filepath.Join(top, ".git", "HEAD"))
			return top
		}},
		{"nested repository", false, func(t *testing.T, top string) string { return repo(t, filepath.Join(repo(t, top), "nested")) }},
		{"empty .git directory in a repository", false, func(t *testing.T, top string) string {
			return filepath.Dir(mkdir(t, filepath.Join(repo(t, top), "nested", ".git")))
		}},
		{"git file of nowhere in a repository", true, func(t *testing.T, top string) string {
			dir := filepath.Join(repo(t, top), "nested")
			write(t, filepath.Join(dir, ".git"), "gitdir: "+filepath.Join(top, "gone")+"\n")
			return dir
		}},
		{"git file with nonsense in a repository", true, func(t *testing.T, top string) string {
			dir := filepath.Join(repo(t, top), "nested")
			write(t, filepath.Join(dir, ".git"), "hello\n")
			return dir
		}},
		{"pruned worktree", true, func(t *testing.T, top string) string {
			run(t, repo(t, filepath.Join(top, "main")), "worktree", "add", "-q", filepath.Join(top, "linked"))
			if err := os.RemoveAll(filepath.Join(top, "main", ".git", "worktrees")); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(top, "linked")
		}},
		{"no HEAD", true, func(t *testing.T, top string) string {
			if err := os.Remove(filepath.Join(repo(t, top), ".git", "HEAD")); err != nil {
				t.Fatal(err)
			}
			return top
		}},
		{"no objects", true, func(t *testing.T, top string) string {
			if err := os.RemoveAll(filepath.Join(repo(t, top), ".git", "objects")); err != nil {
				t.Fatal(err)
			}
			return top
		}},
		{"nothing", true, func(t *testing.T, top string) string { return mkdir(t, filepath.Join(top, "a", "b")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.make(t, temp(t))
			want := ask(dir)
			if (want == nil) != c.none {
				t.Fatalf("git says %+v", want)
			}
			d := discover(t, dir)
			if diff := cmp.Diff(want, d.Git); diff != "" {
				t.Errorf("(-git +acc)\n%s", diff)
			}
			if c.none != (d.Source == protocol.SourceDirectory) {
				t.Errorf("source %s", d.Source)
			}
		})
	}
}

// In a git hook these variables name another repository than the one of the directory.
func TestTheEnvironmentDoesNotRedirect(t *testing.T) {
	top := temp(t)
	one, two := repo(t, filepath.Join(top, "one")), repo(t, filepath.Join(top, "two"))
	want := discover(t, one)
	for name, value := range map[string]string{
		"GIT_DIR":                 filepath.Join(two, ".git"),
		"GIT_COMMON_DIR":          filepath.Join(two, ".git"),
		"GIT_WORK_TREE":           two,
		"GIT_INDEX_FILE":          filepath.Join(two, ".git", "index"),
		"GIT_CEILING_DIRECTORIES": one,
		"GIT_NAMESPACE":           "x",
	} {
		t.Setenv(name, value)
	}
	cmd := exec.Command("git", "rev-parse", "--git-dir")
	cmd.Dir = one
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), two) {
		t.Fatalf("git itself is not redirected: %s %v", out, err)
	}
	if diff := cmp.Diff(want, discover(t, one)); diff != "" {
		t.Errorf("(-without +with)\n%s", diff)
	}
}

// A branch that is a symbolic name for another is called as HEAD calls it; git follows it.
func TestSymbolicBranches(t *testing.T) {
	top := repo(t, temp(t))
	run(t, top, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
	run(t, top, "symbolic-ref", "HEAD", "refs/heads/alias")
	if got, id := discover(t, top).Git, run(t, top, "rev-parse", "HEAD"); got.Branch != "alias" || got.Head != id {
		t.Errorf("%+v, want alias at %s", got, id)
	}
	write(t, filepath.Join(top, ".git", "refs", "heads", "alias"), "ref: refs/heads/other\n")
	write(t, filepath.Join(top, ".git", "refs", "heads", "other"), "ref: refs/heads/alias\n")
	if got := discover(t, top).Git; got.Branch != "alias" || got.Head != "" {
		t.Errorf("%+v, want alias without a commit", got)
	}
}

// A repository that keeps its refs in a table says so in HEAD; what is in the table is unknown.
func TestReftableIsUnknown(t *testing.T) {
	top := repo(t, temp(t))
	write(t, filepath.Join(top, ".git", "HEAD"), "ref: refs/heads/.invalid\n")
	d := discover(t, top)
	if d.Source != protocol.SourceGit || d.Git.Branch != "" || d.Git.Head != "" {
		t.Errorf("%+v %+v", d, d.Git)
	}
}

func TestSizesAreBounded(t *testing.T) {
	top := repo(t, temp(t))
	run(t, top, "pack-refs", "--all")
	id := run(t, top, "rev-parse", "HEAD")
	packed := filepath.Join(top, ".git", "packed-refs")
	pad := func(total int) string {
		line := id + " refs/heads/" + strings.Repeat("x", 50) + "\n"
		end := id + " refs/heads/main\n"
		lines := strings.Repeat(line, (total-len(end)-1)/len(line))
		return lines + "#" + strings.Repeat("-", total-len(lines)-len(end)-2) + "\n" + end
	}
	write(t, packed, pad(maxPackedRefs))
	if got := discover(t, top).Git.Head; got != id {
		t.Errorf("head %q, want %q", got, id)
	}
	write(t, packed, pad(maxPackedRefs+1))
	if got := discover(t, top).Git; got.Head != "" || got.Branch != "main" {
		t.Errorf("%+v, want an unknown head", got)
	}
	write(t, filepath.Join(top, ".git", "HEAD"), "ref: refs/heads/main"+strings.Repeat("\n", smallfile.MaxPointer))
	if got := discover(t, top).Git; got != nil {
		t.Errorf("%+v, want no repository", got)
	}
}

func TestParseHead(t *testing.T) {
	sha1, sha256 := strings.Repeat("a1", 20), strings.Repeat("b2", 32)
	for _, c := range []struct {
		data   string
		want   head
		branch string
		ok     bool
	}{
		{"ref: refs/heads/main\n", head{ref: "refs/heads/main"}, "main", true},
		{"ref:refs/heads/main", head{ref: "refs/heads/main"}, "main", true},
		{"ref: \t refs/heads/main \r\n", head{ref: "refs/heads/main"}, "main", true},
		{"ref: refs/remotes/x/y\n", head{ref: "refs/remotes/x/y"}, "", true},
		{"ref: refs/heads/../../../etc/passwd\n", head{ref: "refs/heads/../../../etc/passwd"}, "", true},
		{"ref: refs/heads/a b\n", head{ref: "refs/heads/a b"}, "", true},
		{"ref: heads/main\n", head{ref: "heads/main"}, "", false},
		{"ref: \n", head{}, "", false},
		{sha1 + "\n", head{id: sha1}, "", true},
		{sha256, head{id: sha256}, "", true},
		{sha1[:39] + "\n", head{}, "", false},
		{strings.ToUpper(sha1), head{}, "", false},
		{"", head{}, "", false},
	} {
		got, ok := parseHead([]byte(c.data))
		if ok != c.ok || got != c.want || got.branch() != c.branch {
			t.Errorf("%q: %+v, %v, branch %q", c.data, got, ok, got.branch())
		}
	}
}

// validRef is our own, so git is asked about every name that the cases of its manual suggest.
func TestValidRefAgreesWithGit(t *testing.T) {
	for _, name := range []string{
		"main", "a/b", "a//b", "/a", "a/", ".a", "a/.b", "a.lock", "a.lock/b", "a..b", "a.", "a b", "a~b", "a^b", "a:b", "a?b", "a*b",
		"a[b", `a\b`, "a@{b", "@", "a@b", "a\x7fb", "a\x01b", "ü", "-a", "a-", "HEAD", "a.b", "a.lockx", "{a}", "a\tb",
	} {
		_, err := try(".", "check-ref-format", "refs/heads/"+name)
		if got, want := validRef("refs/heads/"+name), err == nil; got != want {
			t.Errorf("%q: %v, git says %v", name, got, want)
		}
	}
}

func FuzzGitFiles(f *testing.F) {
	id := strings.Repeat("0", 40)
	f.Add([]byte("ref: refs/heads/main\n"), "refs/heads/main")
	f.Add([]byte(id+"\n"), "refs/heads/main")
	f.Add([]byte("gitdir: ../.git/worktrees/x\n"), "refs/heads/x")
	f.Add([]byte("# pack-refs with: peeled fully-peeled sorted \n"+id+" refs/heads/main\n^"+id+"\n"), "refs/heads/main")
	f.Fuzz(func(t *testing.T, data []byte, ref string) {
		if h, ok := parseHead(data); ok {
			if h.id != "" && len(h.id) != 40 && len(h.id) != 64 {
				t.Errorf("id %q", h.id)
			}
			if b := h.branch(); b != "" && (strings.Contains(b, "..") || strings.ContainsAny(b, "\n\x00\\ ")) {
				t.Errorf("branch %q", b)
			}
		}
		if path, ok := parseGitFile("/dir", data); ok && (!filepath.IsAbs(path) || strings.ContainsAny(path, "\x00")) {
			t.Errorf("path %q", path)
		}
		if id := parsePackedRefs(data, ref); id != "" && !strings.Contains(string(data), id+" ") && !strings.Contains(string(data), id+"\t") {
			t.Errorf("id %q is not in the file", id)
		}
		if validRef(ref) {
			inside := filepath.Join("/common", filepath.FromSlash(ref))
			if _, ok := within("/common", inside); !ok {
				t.Errorf("ref %q leads to %s", ref, inside)
			}
		}
	})
}
