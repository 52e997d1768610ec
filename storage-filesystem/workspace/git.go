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
	Branch       string // short name of refs/heads; empty when detached
	Head         string // commit id, or empty
}

// Sizes of the files that are read, in bytes. Git writes a few dozen into each but packed-refs.
const (
	maxPointerFile = 64 * 1024 // .git, HEAD, commondir, a loose ref
	maxPackedRefs  = protocol.MaximumGitFileBytes
)

// findGit looks for the repository that the canonical directory dir lies in, as git itself does: in dir
// and then in each parent a .git directory, a .git file that names one, or the directory itself being
// a bare repository. Whatever git would stop at means no repository. The environment (GIT_DIR and the
// like) is not asked: in a git hook it names another repository than the one of the directory.
func findGit(dir string, info fs.FileInfo) *Git {
	for level := dir; ; level = filepath.Dir(level) {
		g, stop := gitAt(level)
		if g != nil {
			if level != dir && !sameDevice(info, level) {
				return nil // git does not look beyond a mount point
			}
			return g
		}
		if stop || level == filepath.Dir(level) {
			return nil
		}
	}
}

// gitAt looks at one directory. stop says that git would look no further up.
func gitAt(dir string) (g *Git, stop bool) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Lstat(dotGit)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
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
		return repo.describe(dir), true
	case info.IsDir():
		if repo, ok := readRepository(dotGit); ok {
			return repo.describe(dir), true
		}
	}
	if repo, ok := readRepository(dir); ok {
		return repo.describe(""), true
	}
	return nil, false
}

// repository is a directory that git accepts as one.
type repository struct {
	dir    string // of this worktree
	common string // of the repository; the same directory, except in a linked worktree
	head   head
}

// readRepository says whether git would accept gitDir: a valid HEAD, and objects and refs in the common
// directory.
func readRepository(gitDir string) (repository, bool) {
	h, ok := readHead(gitDir)
	if !ok {
		return repository{}, false
	}
	repo := repository{dir: gitDir, common: gitDir, head: h}
	switch raw, err := smallfile.Read(filepath.Join(gitDir, "commondir"), smallfile.Options{Max: maxPointerFile, Follow: true}); {
	case err == nil:
		if repo.common, ok = pointedAt(gitDir, string(raw.Data)); !ok {
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

// describe reads what else is wanted. root is the worktree, or empty.
func (r repository) describe(root string) *Git {
	common, err := resolve(r.common)
	if err != nil {
		return nil
	}
	branch, commit := r.head.follow(common.path)
	return &Git{CommonDir: common.path, WorktreeRoot: root, Branch: branch, Head: commit}
}

// readGitFile reads a .git file: "gitdir: PATH", relative to its own directory.
func readGitFile(path string) (gitDir string, ok bool) {
	file, err := smallfile.Read(path, smallfile.Options{Max: maxPointerFile, Follow: true})
	if err != nil {
		return "", false
	}
	return parseGitFile(filepath.Dir(path), file.Data)
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
