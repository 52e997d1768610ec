package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// RootVariable selects the directory that discovery starts in. Its value must be absolute.
const RootVariable = "ACC_WORKSPACE_ROOT"

// Request says where to look.
type Request struct {
	Dir    string       // absolute; symlinks are resolved. Empty: ACC_WORKSPACE_ROOT, else the current directory
	Config string       // absolute path of an acc.workspace.json; empty: walk up from Dir
	Env    datahome.Env // asked when Dir is empty; nil: os.Getenv
	Head   bool         // also read which commit is checked out; only people want to know
}

// Descriptor is a discovered room.
type Descriptor struct {
	ID                 string
	DisplayName        string
	Source             protocol.WorkspaceSource
	Dir                string   // canonical directory that discovery started in
	Roots              []string // absolute, canonical
	Git                *Git     // nil when not in a repository; also set for config rooms inside one
	ConfigDir          string   // canonical directory of the configuration; empty unless Source is config
	ContextBudgetBytes int      // from the configuration's policy, else protocol.DefaultHookBudget
}

// Discover finds the room. It reads a few small files and starts no process. What cannot be read of
// Git means that there is no repository; a configuration that cannot be used is an error.
func Discover(req Request) (Descriptor, error) {
	dir, err := start(req)
	if err != nil {
		return Descriptor{}, err
	}
	if req.Config != "" {
		return explicit(req, dir)
	}
	path, config, found, err := findConfig(dir.path)
	if err != nil {
		return Descriptor{}, err
	}
	git := gitOf(dir, req.Head)
	switch {
	case found:
		return configRoom(dir.path, path, config, git)
	case git != nil:
		return gitRoom(dir.path, git), nil
	default:
		return directoryRoom(dir.path), nil
	}
}

// StartDir is the directory that discovery of req starts in, as it is written: absolute, not resolved.
func StartDir(req Request) (string, error) {
	dir, source := req.Dir, "the directory"
	if dir == "" {
		env := req.Env
		if env == nil {
			env = os.Getenv
		}
		dir, source = env(RootVariable), RootVariable
	}
	if dir == "" {
		current, err := os.Getwd()
		if err != nil {
			return "", protocol.UsageError("", fmt.Sprintf("the current directory cannot be told: %v", err)).Because(err)
		}
		return current, nil
	}
	if !filepath.IsAbs(dir) {
		return "", protocol.UsageError("", fmt.Sprintf("%s is not an absolute path: %q", source, dir))
	}
	return dir, nil
}

// start is StartDir resolved; it must be a directory.
func start(req Request) (place, error) {
	dir, err := StartDir(req)
	if err != nil {
		return place{}, err
	}
	at, err := resolve(dir)
	switch {
	case err != nil:
		return place{}, err
	case at.info == nil:
		return place{}, protocol.UsageError(protocol.ReasonNotFound,
			fmt.Sprintf("cannot use the directory %s: %v", dir, errors.Unwrap(at.missing))).Because(at.missing)
	case !at.info.IsDir():
		return place{}, protocol.UsageError("", dir+" is not a directory")
	}
	return at, nil
}

// explicit is the room of the configuration that the caller named. The repository is that of dir if
// dir lies beside the configuration, so that another worktree's session keeps its own.
func explicit(req Request, dir place) (Descriptor, error) {
	path := req.Config
	if !filepath.IsAbs(path) {
		return Descriptor{}, protocol.UsageError("", fmt.Sprintf("the configuration is not an absolute path: %q", path))
	}
	config, err := LoadConfig(path)
	if err != nil {
		return Descriptor{}, err
	}
	beside, err := resolve(filepath.Dir(path))
	if err != nil {
		return Descriptor{}, err
	}
	from := beside
	if _, inside := within(beside.path, dir.path); inside {
		from = dir
	}
	return configRoom(dir.path, path, config, gitOf(from, req.Head))
}

// gitOf is the repository of a directory, or nil.
func gitOf(dir place, head bool) *Git {
	c, ok := findGit(dir.path, dir.info)
	if !ok {
		return nil
	}
	return c.describe(dir.path, head)
}

func configRoom(dir, path string, config Config, git *Git) (Descriptor, error) {
	beside, err := resolveFrom(dir, filepath.Dir(path))
	if err != nil {
		return Descriptor{}, err
	}
	roots, err := configRoots(path, beside.path, config.Roots)
	if err != nil {
		return Descriptor{}, err
	}
	d := Descriptor{
		ID:                 config.WorkspaceID,
		DisplayName:        config.DisplayName,
		Source:             protocol.SourceConfig,
		Dir:                dir,
		Roots:              roots,
		Git:                git,
		ConfigDir:          beside.path,
		ContextBudgetBytes: protocol.DefaultHookBudget,
	}
	if d.DisplayName == "" {
		d.DisplayName = displayName(beside.path)
	}
	if config.Policy != nil && config.Policy.ContextBudgetBytes > 0 {
		d.ContextBudgetBytes = config.Policy.ContextBudgetBytes
	}
	return d, nil
}

// configRoots resolves the roots of a configuration; two that turn out to be one count once.
func configRoots(path, dir string, relative []string) ([]string, error) {
	if len(relative) == 0 {
		return []string{dir}, nil
	}
	var roots []string
	for _, r := range relative {
		r = strings.ReplaceAll(r, `\`, "/")
		at, err := resolveFrom(dir, dir+string(filepath.Separator)+filepath.FromSlash(r))
		if err != nil {
			return nil, err
		}
		if at.info == nil || !at.info.IsDir() {
			return nil, protocol.DataError(protocol.ReasonNotFound, fmt.Sprintf("%s names the root %q, which is no directory", path, r)).
				WithHint("acc config validate")
		}
		if !slices.Contains(roots, at.path) {
			roots = append(roots, at.path)
		}
	}
	return roots, nil
}

func gitRoom(dir string, git *Git) Descriptor {
	root := git.WorktreeRoot
	if root == "" {
		root = git.CommonDir
	}
	return Descriptor{
		ID:                 pathID(git.CommonDir),
		DisplayName:        repositoryName(git.CommonDir),
		Source:             protocol.SourceGit,
		Dir:                dir,
		Roots:              []string{root},
		Git:                git,
		ContextBudgetBytes: protocol.DefaultHookBudget,
	}
}

func directoryRoom(dir string) Descriptor {
	return Descriptor{
		ID:                 pathID(dir),
		DisplayName:        displayName(dir),
		Source:             protocol.SourceDirectory,
		Dir:                dir,
		Roots:              []string{dir},
		ContextBudgetBytes: protocol.DefaultHookBudget,
	}
}

// CheckoutRoot is the worktree root, else the first root.
func (d Descriptor) CheckoutRoot() string {
	if d.Git != nil && d.Git.WorktreeRoot != "" {
		return d.Git.WorktreeRoot
	}
	if len(d.Roots) > 0 {
		return d.Roots[0]
	}
	return ""
}

// pathID is the id of a room that no configuration names: the first 32 hex digits of the SHA-256 of a
// canonical path.
func pathID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return protocol.WorkspacePrefix + "_" + hex.EncodeToString(sum[:16])
}

// repositoryName is what people call a repository, whichever worktree they are in.
func repositoryName(commonDir string) string {
	if filepath.Base(commonDir) == ".git" {
		return displayName(filepath.Dir(commonDir))
	}
	return displayName(strings.TrimSuffix(commonDir, ".git"))
}

// displayName is the last name of a path as one line of text.
func displayName(path string) string {
	name := strings.ToValidUTF8(filepath.Base(path), "?")
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
	for utf8.RuneCountInString(name) > protocol.MaxLine {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if strings.TrimSpace(name) == "" {
		return "workspace"
	}
	return name
}
