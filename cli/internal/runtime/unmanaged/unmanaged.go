// Package unmanaged puts copies of the running build's executables where clients call them:
// <data home>/acc/runtime/bin. Nothing updates such an installation but installing again, with another
// build; a managed runtime takes the place of this package and of the files, under the same names.
//
// They are copies, not links: a compiler that writes a build anew may write into the file that is there.
package unmanaged

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

// ReasonExecutableMissing says that a part of acc is not beside the executable that runs.
const ReasonExecutableMissing protocol.Reason = "executable_missing"

// names are the executables of a build, in the order in which they are written: acc last, because it is
// what people take for the whole.
var names = []string{"acc-hook", "acc-mcp", "acc-antigravity-relay", "acc-indicator", "acc"}

// Executables that most people never start. That the relay or the indicator is missing is not even worth a word:
// where the one cannot be started, messages arrive with the next turn, and nothing calls the other unasked.
const (
	optional  = "acc-mcp"
	relay     = "acc-antigravity-relay"
	indicator = "acc-indicator"
)

// mode of an installed executable.
const mode = 0o755

// Plan is what would be written.
type Plan struct {
	From  string // directory of the build that runs
	Dir   string // where its executables go
	Files []File // that are missing there or differ
	Notes []string
	// NoServer says that this build has no MCP server, so no client can be told to start it, and NoIndicator that it
	// has no acc-indicator.
	NoServer, NoIndicator bool

	home datahome.Home
}

// File is one executable that would be written.
type File struct {
	Name   string
	Path   string
	Action adapter.FileAction // CreateFile or ReplaceFile
}

// NewPlan compares the executables beside self, which runs, with the installed ones. It is an error when
// self has no acc-hook beside it: an installation without would be wired to nothing.
func NewPlan(home datahome.Home, self string) (*Plan, error) {
	p := &Plan{From: filepath.Dir(self), Dir: home.Bin(), home: home}
	for _, name := range names {
		from, to := filepath.Join(p.From, file(name)), filepath.Join(p.Dir, file(name))
		info, err := os.Stat(from)
		switch {
		case err != nil && name == optional:
			p.Notes, p.NoServer = append(p.Notes, name+" is not beside "+self+", so no MCP server is installed"), true
			continue
		case err != nil && name == indicator:
			p.NoIndicator = true
			continue
		case err != nil && name == relay:
			continue
		case err != nil || !info.Mode().IsRegular():
			return nil, protocol.DataError(ReasonExecutableMissing, fmt.Sprintf("%s is not beside %s, and an installation needs both", name, self)).
				WithHint("in a checkout: go install ./cli/cmd/... and then acc install").Because(err)
		}
		action, err := compare(from, to)
		if err != nil {
			return nil, err
		}
		if action != "" {
			p.Files = append(p.Files, File{Name: name, Path: to, Action: action})
		}
	}
	return p, nil
}

// file is what an executable is called on this platform.
func file(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// compare says what must happen to the file at to so that it is a copy of from.
func compare(from, to string) (adapter.FileAction, error) {
	installed, err := os.Lstat(to)
	if errors.Is(err, fs.ErrNotExist) {
		return adapter.CreateFile, nil
	}
	if err != nil {
		return "", failed("cannot look at", to, err)
	}
	built, err := os.Stat(from)
	if err != nil {
		return "", failed("cannot look at", from, err)
	}
	if os.SameFile(built, installed) {
		return "", nil // the installed one runs
	}
	if !installed.Mode().IsRegular() || installed.Size() != built.Size() || runtime.GOOS != "windows" && installed.Mode().Perm() != mode {
		return adapter.ReplaceFile, nil
	}
	same, err := equal(from, to)
	if err != nil {
		return "", failed("cannot compare", to, err)
	}
	if same {
		return "", nil
	}
	return adapter.ReplaceFile, nil
}

// equal says whether two files of one size have the same bytes.
func equal(a, b string) (bool, error) {
	left, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer left.Close()
	right, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer right.Close()
	var one, other [64 << 10]byte
	for {
		n, err := io.ReadFull(left, one[:])
		m, otherErr := io.ReadFull(right, other[:])
		switch {
		case n != m || !bytes.Equal(one[:n], other[:m]):
			return false, nil
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return true, nil
		case err != nil || otherErr != nil:
			return false, errors.Join(err, otherErr)
		}
	}
}

// Apply makes the directories of the data home and writes the executables. Each appears whole and under
// a new inode: a running one keeps its own.
func (p *Plan) Apply(ctx context.Context) error {
	for _, dir := range []string{p.home.Workspaces(), p.Dir} {
		made, err := vfs.OS{}.Create(p.home.Root, dir)
		if err != nil {
			return failed("cannot make", dir, err)
		}
		if err := made.Close(); err != nil {
			return failed("cannot make", dir, err)
		}
	}
	for _, f := range p.Files {
		if err := ctx.Err(); err != nil {
			return protocol.TimeoutError("", "the deadline passed before "+f.Path+" was written").Because(err)
		}
		if err := install(filepath.Join(p.From, file(f.Name)), f.Path); err != nil {
			return failed("cannot write", f.Path, err)
		}
	}
	return nil
}

func install(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	partial := aside(to, "partial")
	out, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Chmod(mode) // whatever the umask is
	}
	if err == nil {
		err = out.Sync()
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = replace(partial, to)
	}
	if err != nil {
		_ = os.Remove(partial)
	}
	return err
}

// replace moves partial to path. Where a running executable cannot be replaced it can be renamed, and is
// removed as soon as it no longer runs.
func replace(partial, path string) error {
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".old-*"))
	for _, name := range old {
		_ = os.Remove(name)
	}
	err := os.Rename(partial, path)
	if err == nil || runtime.GOOS != "windows" {
		return err
	}
	running := aside(path, "old")
	if err := os.Rename(path, running); err != nil {
		return err
	}
	if err := os.Rename(partial, path); err != nil {
		return errors.Join(err, os.Rename(running, path))
	}
	return nil
}

// aside is a name beside path that nobody else uses.
func aside(path, what string) string {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+what+"-"+hex.EncodeToString(nonce[:]))
}

func failed(what, path string, err error) error {
	var known *protocol.Error
	if errors.As(err, &known) {
		return known
	}
	return protocol.DataError("", fmt.Sprintf("%s %s: %v", what, path, err)).Because(err)
}
