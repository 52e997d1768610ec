package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/acc-control-plane/acc/protocol"
)

const maxLinks = 100 // symbolic links that one path may go through

// fileSystem is what resolving a path looks at. Tests have one that ignores letter case.
type fileSystem interface {
	Lstat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	Names(dir string) ([]string, error)
	SameFile(a, b fs.FileInfo) bool
}

type osFileSystem struct{}

func (osFileSystem) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }
func (osFileSystem) Readlink(path string) (string, error)   { return os.Readlink(path) }
func (osFileSystem) SameFile(a, b fs.FileInfo) bool         { return os.SameFile(a, b) }
func (osFileSystem) Names(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// place is a path in its one spelling.
type place struct {
	path    string
	dir     string      // the deepest directory on the way there that exists; the path itself if it is one
	info    fs.FileInfo // of the path; nil if it does not exist or may not be looked at
	missing error       // why info is nil
}

// resolver resolves one path.
type resolver struct {
	fs    fileSystem
	known string // a canonical directory, or empty: it and those above need no look
	links int
}

// resolve gives the one spelling of an absolute path: every symbolic link is followed, and on a file
// system that ignores letter case every name is spelled as its directory spells it. What does not exist
// is kept below its deepest existing ancestor. It fails on a loop of links only.
func resolve(path string) (place, error) {
	return resolveFrom("", path)
}

// resolveFrom is resolve for a path that probably shares its beginning with a directory known to be
// canonical: that part is not looked at again.
func resolveFrom(known, path string) (place, error) {
	r := resolver{fs: osFileSystem{}, known: known}
	return r.resolve(path)
}

func (r *resolver) resolve(path string) (place, error) {
	root := filepath.VolumeName(path) + string(filepath.Separator)
	at := place{path: root}
	rest := split(path[len(filepath.VolumeName(path)):])
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = place{path: filepath.Dir(at.path)}
			continue
		}
		next := filepath.Join(at.path, name)
		if _, above := within(next, r.known); above {
			at = place{path: next}
			continue
		}
		info, err := r.fs.Lstat(next)
		if err != nil {
			return r.missing(at.path, name, rest, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = place{path: next, info: info}
			continue
		}
		target, err := r.follow(next)
		if err != nil {
			return place{}, err
		}
		if filepath.IsAbs(target) {
			at = place{path: filepath.VolumeName(target) + string(filepath.Separator)}
			target = target[len(filepath.VolumeName(target)):]
		}
		rest = append(split(target), rest...)
	}
	if at.info == nil {
		at.info, at.missing = r.fs.Lstat(at.path)
	}
	at.path = r.spell(at.path, at.info)
	at.dir = at.path
	if at.info != nil && !at.info.IsDir() {
		at.dir = filepath.Dir(at.path)
	}
	return at, nil
}

// missing ends at the deepest existing ancestor. A ".." behind a name that does not exist takes it
// back, and then there may be more to follow.
func (r *resolver) missing(dir, name string, rest []string, err error) (place, error) {
	if slices.Contains(rest, "..") {
		return r.resolve(filepath.Join(append([]string{dir, name}, rest...)...))
	}
	info, _ := r.fs.Lstat(dir)
	dir = r.spell(dir, info)
	at := place{path: filepath.Join(append([]string{dir, name}, rest...)...), dir: dir, missing: err}
	if info != nil && !info.IsDir() { // a name below a file
		at.dir = filepath.Dir(dir)
	}
	return at, nil
}

func (r *resolver) follow(link string) (string, error) {
	r.links++
	if r.links > maxLinks {
		return "", protocol.DataError("", fmt.Sprintf("%s goes through more than %d symbolic links", link, maxLinks))
	}
	target, err := r.fs.Readlink(link)
	if err != nil {
		return "", protocol.DataError("", fmt.Sprintf("cannot read the symbolic link %s: %v", link, errors.Unwrap(err))).Because(err)
	}
	return target, nil
}

// spell gives every name of an existing path without links the letter case that its directory gives
// it. Where letter case matters that changes nothing and costs one look.
func (r *resolver) spell(path string, info fs.FileInfo) string {
	if _, above := within(path, r.known); above || !r.ignoresCase(path, info) {
		return path
	}
	spelled, rest := filepath.VolumeName(path)+string(filepath.Separator), path[len(filepath.VolumeName(path)):]
	if below, ok := within(r.known, path); ok && r.known != "" {
		spelled, rest = r.known, below
	}
	for _, name := range split(rest) {
		spelled = filepath.Join(spelled, r.spellOne(spelled, name))
	}
	return spelled
}

// ignoresCase asks for the deepest name that has letters in the other case.
func (r *resolver) ignoresCase(path string, info fs.FileInfo) bool {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		dir, name := filepath.Split(path)
		swapped := swapCase(name)
		if swapped == name {
			info = nil
			continue
		}
		other, err := r.fs.Lstat(dir + swapped)
		if err != nil {
			return false
		}
		if info == nil {
			if info, err = r.fs.Lstat(path); err != nil {
				return false
			}
		}
		return r.fs.SameFile(info, other)
	}
	return false
}

// spellOne finds the entry of dir that name stands for. If nothing fits it stays as it is.
func (r *resolver) spellOne(dir, name string) string {
	names, err := r.fs.Names(dir)
	if err != nil || slices.Contains(names, name) {
		return name
	}
	info, err := r.fs.Lstat(filepath.Join(dir, name))
	if err != nil {
		return name
	}
	slices.Sort(names)
	for _, candidate := range names {
		// Some file systems also take composed and decomposed letters for the same, or know a file
		// by a short name.
		if !strings.EqualFold(candidate, name) && ascii(candidate) && ascii(name) && !strings.Contains(name, "~") {
			continue
		}
		other, err := r.fs.Lstat(filepath.Join(dir, candidate))
		if err == nil && r.fs.SameFile(info, other) {
			return candidate
		}
	}
	return name
}

// split cuts a path into names, without empty ones and ".".
func split(path string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(path, isSeparator), func(name string) bool { return name == "." })
}

func isSeparator(r rune) bool { return r == filepath.Separator || r == '/' }

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// within gives path relative to dir; ok is false when it does not lie in dir. Both are canonical.
func within(dir, path string) (rel string, ok bool) {
	if dir == path {
		return ".", true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) { // it is not the root
		dir += string(filepath.Separator)
	}
	return strings.CutPrefix(path, dir)
}
