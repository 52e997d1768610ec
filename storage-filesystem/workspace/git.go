package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

// Git is what was read of a repository. Unknown facts are empty.
type Git struct {
	CommonDir    string // canonical; the same for all worktrees of a repository
	WorktreeRoot string // canonical; empty in a bare repository and inside of a .git directory
	Branch       string // short name in refs/heads; empty when detached
	Head         string // commit id, if it was asked for
}

// maxPackedRefs is the size of the largest packed-refs file that is looked into, in bytes. All others
// hold one line.
const maxPackedRefs = protocol.MaximumGitFileBytes

// findGit looks for the repository that the canonical directory dir lies in, as git itself does: in dir
// and then in each parent a .git directory, a .git file that names one, or the directory itself being
// a bare repository. Whatever git would stop at means no repository. The environment (GIT_DIR and the
// like) is not asked: in a git hook it names another repository than the one of the directory.
func findGit(dir string, info fs.FileInfo) (*checkout, bool) {
	for level := dir; ; level = filepath.Dir(level) {
		found, stop := checkoutAt(level)
		if found == nil && !stop {
			if repo, ok := readRepository(level); ok {
				found = &checkout{repo: repo}
			}
		}
		if found != nil {
			// git does not look beyond a mount point.
			return found, level == dir || sameDevice(info, level)
		}
		if stop || level == filepath.Dir(level) {
			return nil, false
		}
	}
}

// checkout is a repository as it is seen from a directory.
type checkout struct {
	root string // of the worktree; empty in a bare repository and inside of a .git directory
	repo repository
}

// checkoutAt says whether a canonical directory is the root of a worktree. stop says that it ought to
// be one and is not, where git would look no further up.
func checkoutAt(dir string) (c *checkout, stop bool) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Lstat(dotGit)
	link := err == nil && info.Mode()&fs.ModeSymlink != 0
	if link {
		info, err = os.Stat(dotGit)
	}
	switch {
	case err != nil:
	case info.Mode().IsRegular():
		gitDir, ok := readGitFile(dotGit)
		if !ok {
			return nil, true
		}
		repo, ok := readRepository(gitDir)
		if !ok {
			return nil, true
		}
		return &checkout{root: dir, repo: repo}, true
	case info.IsDir():
		if repo, ok := readRepository(dotGit); ok {
			repo.canonical = !link && repo.common == dotGit
			return &checkout{root: dir, repo: repo}, true
		}
	}
	return nil, false
}

// repository is a directory that git accepts as one.
type repository struct {
	common    string // shared by all worktrees
	canonical bool   // common is known to be
	head      head   // of this worktree
}

// readRepository says whether git would accept gitDir: a valid HEAD, and objects and refs in the common
// directory.
func readRepository(gitDir string) (repository, bool) {
	h, ok := readHead(gitDir)
	if !ok {
		return repository{}, false
	}
	repo := repository{common: gitDir, head: h}
	switch content, err := smallfile.ReadPointer(filepath.Join(gitDir, "commondir"), true); {
	case err == nil:
		if repo.common, ok = pointedAt(gitDir, string(content)); !ok {
			return repository{}, false
		}
	case !errors.Is(err, fs.ErrNotExist):
		return repository{}, false
	}
	if !isDir(filepath.Join(repo.common, "objects")) || !isDir(filepath.Join(repo.common, "refs")) {
		return repository{}, false
	}
	return repo, true
}

// commonDir is the common directory in its one spelling. known is a canonical directory.
func (r repository) commonDir(known string) (string, error) {
	if r.canonical {
		return r.common, nil
	}
	at, err := resolveFrom(known, r.common)
	return at.path, err
}

// describe gives nil if there is no repository or its place cannot be told. known is a canonical
// directory.
func (c *checkout) describe(known string, wantHead bool) *Git {
	if c == nil {
		return nil
	}
	common, err := c.repo.commonDir(known)
	if err != nil {
		return nil
	}
	g := &Git{CommonDir: common, WorktreeRoot: c.root, Branch: c.repo.head.branch()}
	if wantHead {
		g.Head = c.repo.head.commit(common)
	}
	return g
}

// readGitFile reads a .git file: "gitdir: PATH", relative to its own directory.
func readGitFile(path string) (gitDir string, ok bool) {
	content, err := smallfile.ReadPointer(path, true)
	if err != nil {
		return "", false
	}
	return parseGitFile(filepath.Dir(path), content)
}

func parseGitFile(dir string, data []byte) (gitDir string, ok bool) {
	target, ok := strings.CutPrefix(string(data), "gitdir: ")
	if !ok {
		return "", false
	}
	return pointedAt(dir, target)
}

// pointedAt is the path that a pointer file in dir holds.
func pointedAt(dir, content string) (path string, ok bool) {
	content = filepath.FromSlash(strings.TrimRight(content, "\r\n"))
	if content == "" || strings.ContainsRune(content, 0) {
		return "", false
	}
	if filepath.IsAbs(content) {
		return content, true
	}
	return dir + string(filepath.Separator) + content, true // not cleaned: dir may end in a link
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
