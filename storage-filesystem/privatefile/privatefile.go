// Package privatefile reads and writes small files that belong to this user alone: directories 0700,
// files 0600 whatever the umask, no symbolic link followed, foreign owners refused, replaced
// atomically.
//
// It is for what can be made again or is only a hint: saved rooms, owner bindings, diagnostics. The
// durable truth lives in fsstore, which flushes.
//
// A base is a directory that the user answers for (the data home may itself be reached through a
// link); every segment below it must be a real directory of this user. On Windows there are no
// numeric owners: links are refused there, and the access lists of the user's profile do the rest.
package privatefile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/internal/self"
	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

// Tree is a base whose directories are looked at once, for a process that soon ends: what it found right
// it takes for right from then on. The functions of the package look each time. It is safe for
// concurrent use.
type Tree struct {
	base string

	mu    sync.Mutex
	right map[string]bool
}

// Below gives the tree below base.
func Below(base string) *Tree { return &Tree{base: base, right: map[string]bool{}} }

// Read gives the content of a regular file of this user of at most max bytes, after looking at the
// file and at its directory. It is for a file in a directory that was checked before, such as that of
// an opened store; otherwise use ReadBelow. Errors are as those of ReadBelow.
func Read(path string, max int64) ([]byte, error) {
	return ReadBelow(filepath.Dir(filepath.Dir(path)), path, max)
}

// ReadBelow is Read after looking at every segment below base. An absent file is os.ErrNotExist; a
// link, another type, a foreign owner or too many bytes are an error with Code Data that names the
// segment and ReasonPathUnsafe.
func ReadBelow(base, path string, max int64) ([]byte, error) { return Below(base).Read(path, max) }

// Read is ReadBelow.
func (t *Tree) Read(path string, max int64) ([]byte, error) {
	if err := t.checkDirs(path); err != nil {
		return nil, err
	}
	file, err := smallfile.Read(path, smallfile.Options{Max: max})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.Is(err, smallfile.ErrSymlink), errors.Is(err, smallfile.ErrNotRegular):
		return nil, refuse(err)
	case err != nil:
		return nil, failed("cannot read", path, err)
	case foreign(file.Owner):
		return nil, foreignOwner(path, file.Owner)
	}
	return file.Data, nil
}

// Write replaces path atomically, making base and missing directories below it. It does not flush:
// what it keeps can be made again.
func Write(base, path string, data []byte) error { return Below(base).Write(path, data) }

// Write is the function Write.
func (t *Tree) Write(path string, data []byte) error { return t.publish(path, data, rename) }

// WriteNew is Write that never replaces: if path exists, whatever it is, the error is os.ErrExist and
// nothing changed. Of several at once exactly one succeeds, and nobody sees a part of its file.
func WriteNew(base, path string, data []byte) error { return Below(base).WriteNew(path, data) }

// WriteNew is the function WriteNew.
func (t *Tree) WriteNew(path string, data []byte) error { return t.publish(path, data, renameNew) }

// Remove deletes the file at path after looking at every segment below base. An absent file is no
// error.
func Remove(base, path string) error { return Below(base).Remove(path) }

// Remove is the function Remove.
func (t *Tree) Remove(path string) error {
	err := t.checkDirs(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return failed("cannot remove", path, err)
}

// mostVanishings is how often a directory may be removed under who is writing there, before that is an error. Each
// time somebody else has come, and gone, in between.
const mostVanishings = 256

// publish writes a partial file beside path and moves it there. The directories of a room that nobody shares are removed
// by whoever leaves it, perhaps in this moment: they are then made again.
func (t *Tree) publish(path string, data []byte, move func(from, to string) error) error {
	for try := 0; ; try++ {
		err := t.publishOnce(path, data, move)
		if !errors.Is(err, fs.ErrNotExist) || try == mostVanishings {
			return err
		}
		t.forget()
	}
}

func (t *Tree) publishOnce(path string, data []byte, move func(from, to string) error) error {
	if err := t.makeDirs(path); err != nil {
		return err
	}
	partial, err := writePartial(filepath.Dir(path), data)
	if err != nil {
		return failed("cannot write", path, err)
	}
	if err := move(partial, path); err != nil {
		_ = os.Remove(partial)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w", path, fs.ErrExist)
		}
		return failed("cannot write", path, err)
	}
	return nil
}

// forget has every directory looked at again.
func (t *Tree) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.right)
}

// writePartial makes a new file of mode 0600 in dir.
func writePartial(dir string, data []byte) (string, error) {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	path := filepath.Join(dir, ".partial-"+hex.EncodeToString(nonce[:]))
	if err := create(path, data); err != nil {
		return "", err
	}
	return path, nil
}

// checkDirs looks at every directory between base and path. An absent one is os.ErrNotExist.
func (t *Tree) checkDirs(path string) error {
	return t.eachDir(path, func(dir string) error {
		info, err := os.Lstat(dir)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return failed("cannot look at", dir, err)
		}
		return checkDir(dir, info)
	})
}

// makeDirs is checkDirs that makes what is missing. A directory that was there keeps its mode.
func (t *Tree) makeDirs(path string) error {
	if t.known(filepath.Dir(path)) {
		return nil
	}
	if err := os.MkdirAll(t.base, 0o700); err != nil {
		return failed("cannot make", t.base, err)
	}
	return t.eachDir(path, func(dir string) error {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			err = os.Chmod(dir, 0o700) // the umask may have taken our own bits
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return failed("cannot make", dir, err)
		}
		info, err := os.Lstat(dir)
		if err != nil {
			return failed("cannot look at", dir, err)
		}
		return checkDir(dir, info)
	})
}

// known says whether a directory was found right before.
func (t *Tree) known(dir string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.right[dir]
}

// eachDir calls visit for every directory below the base on the way to path that was not found right
// before, the top one first.
func (t *Tree) eachDir(path string, visit func(dir string) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.right[filepath.Dir(path)] {
		return nil
	}
	rel, err := filepath.Rel(t.base, filepath.Dir(path))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return protocol.DataError(protocol.ReasonPathUnsafe, fmt.Sprintf("%s does not lie below %s", path, t.base))
	}
	if rel == "." {
		return nil
	}
	dir := t.base
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, name)
		if t.right[dir] {
			continue
		}
		if err := visit(dir); err != nil {
			return err
		}
		t.right[dir] = true
	}
	return nil
}

func checkDir(dir string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse(fmt.Errorf("%s: %w", dir, smallfile.ErrSymlink))
	case !info.IsDir():
		return refuse(fmt.Errorf("%s: is not a directory", dir))
	case foreign(owner(info)):
		return foreignOwner(dir, owner(info))
	}
	return nil
}

// foreign says whether a file belongs to somebody else. Where there are no owners nothing is foreign.
func foreign(uid int) bool { return uid != smallfile.UnknownOwner && uid != self.UserID() }

func foreignOwner(path string, uid int) error {
	return refuse(fmt.Errorf("%s: belongs to user %d, not to user %d", path, uid, self.UserID()))
}

func refuse(err error) error {
	return protocol.DataError(protocol.ReasonPathUnsafe, err.Error()).Because(err)
}

func failed(what, path string, err error) error {
	return protocol.DataError("", fmt.Sprintf("%s %s: %v", what, path, cause(err))).Because(err)
}

// cause drops the operation and the path that errors of os and smallfile begin with.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
