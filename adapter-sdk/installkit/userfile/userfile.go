// Package userfile reads, replaces and removes files in the directory where a client keeps its
// configuration.
//
// The directory itself is the user's business and may be reached through a link. Everything below it
// must be a real directory or a regular file of this user: what is a link, something else, or somebody
// else's is refused and left alone. A file is replaced by renaming a finished one over it, with the
// mode that it had.
package userfile

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// MaxBytes is how large a file may be that acc edits.
const MaxBytes = 8 << 20

// Modes of what acc makes.
const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// File is the content of a file at one moment.
type File struct {
	Exists bool
	Data   []byte
	Mode   fs.FileMode
}

// Same says whether both are the same content, or both no file.
func (f File) Same(other File) bool {
	return f.Exists == other.Exists && bytes.Equal(f.Data, other.Data)
}

// Read gives the file at path, which lies below root. An absent file is no error. Errors are
// *protocol.Error with Code Data that name the path at fault.
func Read(root, path string) (File, error) {
	if err := checkDirs(root, path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return File{}, nil
		}
		return File{}, err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, nil
	}
	if err != nil {
		return File{}, failed("cannot look at", path, err)
	}
	if err := checkFile(path, info); err != nil {
		return File{}, err
	}
	f, err := open(path)
	if err != nil {
		return File{}, failed("cannot read", path, err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return File{}, failed("cannot look at", path, err)
	}
	if !os.SameFile(info, opened) {
		return File{}, refuse(path, "was replaced while it was being read")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return File{}, failed("cannot read", path, err)
	}
	if len(data) > MaxBytes {
		return File{}, refuse(path, "is larger than a configuration can be")
	}
	return File{Exists: true, Data: data, Mode: opened.Mode().Perm()}, nil
}

// Write replaces the file at path by data if it still is what before says, and gives the directories
// that it made, the outermost first. A new file is readable by this user alone.
func Write(root, path string, before File, data []byte) (made []string, err error) {
	if made, err = makeDirs(root, path); err != nil {
		return made, err
	}
	now, err := Read(root, path)
	if err != nil {
		return made, err
	}
	if !now.Same(before) {
		return made, changed(path)
	}
	mode := fileMode
	if now.Exists {
		mode = now.Mode
	}
	partial, err := writePartial(filepath.Dir(path), data, mode)
	if err != nil {
		return made, failed("cannot write", path, err)
	}
	if err := os.Rename(partial, path); err != nil {
		_ = os.Remove(partial)
		return made, failed("cannot write", path, err)
	}
	return made, flushDir(filepath.Dir(path))
}

// Remove deletes the file at path if it still is what before says.
func Remove(root, path string, before File) error {
	now, err := Read(root, path)
	if err != nil {
		return err
	}
	if !now.Same(before) {
		return changed(path)
	}
	if !now.Exists {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return failed("cannot remove", path, err)
	}
	return flushDir(filepath.Dir(path))
}

// Restore gives the file at path the content and mode that it had before, if it still is what now says:
// it takes a Write or Remove back.
func Restore(root, path string, now, before File) error {
	if !before.Exists {
		return Remove(root, path, now)
	}
	if _, err := Write(root, path, now, before.Data); err != nil {
		return err
	}
	if err := os.Chmod(path, before.Mode); err != nil {
		return failed("cannot restore the mode of", path, err)
	}
	return nil
}

// Missing lists the directories that Write would make for path, the outermost first.
func Missing(root, path string) ([]string, error) {
	dirs, err := dirsTo(root, path)
	if err != nil {
		return nil, err
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		dirs = slices.Insert(dirs, 0, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := os.Stat(dir)
		return !errors.Is(err, fs.ErrNotExist)
	}), nil
}

// RemoveDir deletes the directory dir if it is empty, and says whether it is gone.
func RemoveDir(dir string) (gone bool, err error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, failed("cannot look at", dir, err)
	}
	if !info.IsDir() || foreign(info) {
		return false, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, failed("cannot look at", dir, err)
	}
	if len(entries) > 0 {
		return false, nil
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, failed("cannot remove", dir, err)
	}
	return true, nil
}

// Check looks at what is on the way to path and at path itself without reading it.
func Check(root, path string) error {
	_, err := Read(root, path)
	return err
}

// partialPrefix begins the names of unfinished files; a nonce follows.
const partialPrefix = ".acc-partial-"

const nonceBytes = 8

// Sweep removes what a Write that was killed left beside path. Nobody else may be writing there.
func Sweep(root, path string) error {
	if err := checkDirs(root, path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return failed("cannot look at", dir, err)
	}
	for _, e := range entries {
		nonce, found := strings.CutPrefix(e.Name(), partialPrefix)
		if _, err := hex.DecodeString(nonce); !found || err != nil || len(nonce) != 2*nonceBytes {
			continue
		}
		left := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || checkFile(left, info) != nil {
			continue // gone, or not ours
		}
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed("cannot remove", left, err)
		}
	}
	return nil
}

func writePartial(dir string, data []byte, mode fs.FileMode) (string, error) {
	var nonce [nonceBytes]byte
	_, _ = rand.Read(nonce[:]) // never fails
	path := filepath.Join(dir, partialPrefix+hex.EncodeToString(nonce[:]))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path)
		return "", err
	}
	return path, nil
}

// checkDirs looks at root and at every directory below it on the way to path. An absent one is
// fs.ErrNotExist.
func checkDirs(root, path string) error {
	dirs, err := dirsTo(root, path)
	if err != nil {
		return err
	}
	info, err := os.Stat(root)
	if err != nil {
		return absentOr("cannot look at", root, err)
	}
	if !info.IsDir() {
		return refuse(root, "is not a directory")
	}
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil {
			return absentOr("cannot look at", dir, err)
		}
		if err := checkDir(dir, info); err != nil {
			return err
		}
	}
	return nil
}

// makeDirs is checkDirs that makes what is missing, root and what leads to it included.
func makeDirs(root, path string) (made []string, err error) {
	dirs, err := dirsTo(root, path)
	if err != nil {
		return nil, err
	}
	missing, err := Missing(root, path)
	if err != nil {
		return nil, err
	}
	for _, dir := range missing {
		if !slices.Contains(dirs, dir) {
			dirs = slices.Insert(dirs, 0, dir)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(a) - len(b) })
	for _, dir := range dirs {
		err := os.Mkdir(dir, dirMode)
		if err == nil {
			made = append(made, dir)
			continue
		}
		if !errors.Is(err, fs.ErrExist) {
			return made, failed("cannot make", dir, err)
		}
		info, err := os.Lstat(dir)
		if err != nil {
			return made, failed("cannot look at", dir, err)
		}
		if err := checkDir(dir, info); err != nil {
			return made, err
		}
	}
	return made, nil
}

// dirsTo lists the directories below root on the way to path, the outermost first.
func dirsTo(root, path string) ([]string, error) {
	rel, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil || !filepath.IsAbs(root) || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, refuse(path, "does not lie below "+root)
	}
	var dirs []string
	if rel == "." {
		return nil, nil
	}
	dir := root
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, name)
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

func checkDir(dir string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse(dir, "is a symbolic link")
	case !info.IsDir():
		return refuse(dir, "is not a directory")
	case foreign(info):
		return refuse(dir, "belongs to another user")
	}
	return nil
}

func checkFile(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse(path, "is a symbolic link")
	case !info.Mode().IsRegular():
		return refuse(path, "is not a regular file")
	case foreign(info):
		return refuse(path, "belongs to another user")
	}
	return nil
}

func refuse(path, problem string) error {
	return protocol.DataError(protocol.ReasonPathUnsafe, path+" "+problem+"; acc leaves it as it is").
		WithHint("make " + path + " a plain file or directory of your own, then run the command again")
}

func changed(path string) error {
	return protocol.ConflictError("", path+" was changed while acc was about to write it").
		WithHint("run the command again")
}

func absentOr(what, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return failed(what, path, err)
}

func failed(what, path string, err error) error {
	var p *fs.PathError
	cause := err
	if errors.As(err, &p) {
		cause = p.Err
	}
	return protocol.DataError("", what+" "+path+": "+cause.Error()).Because(err)
}
