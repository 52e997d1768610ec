package workspace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

const (
	headsPrefix  = "refs/heads/"
	maxSymbolic  = 5 // refs that name another, as git allows
	sha1Digits   = 40
	sha256Digits = 64
)

// head is what a HEAD file says: a ref, or a commit when detached.
type head struct {
	ref string // may be no valid name: a reftable repository keeps refs/heads/.invalid there
	id  string
}

// readHead reads HEAD of a git directory; ok is false if git would not take it for one.
func readHead(gitDir string) (head, bool) {
	path := filepath.Join(gitDir, "HEAD")
	content, err := smallfile.ReadPointer(path, false)
	if errors.Is(err, smallfile.ErrSymlink) { // as the first versions of git wrote it
		target, err := os.Readlink(path)
		return head{ref: filepath.ToSlash(target)}, err == nil && strings.HasPrefix(filepath.ToSlash(target), "refs/")
	}
	if err != nil {
		return head{}, false
	}
	return parseHead(content)
}

func parseHead(data []byte) (head, bool) {
	if target, symbolic := bytes.CutPrefix(data, []byte("ref:")); symbolic {
		ref := string(bytes.TrimSpace(target))
		return head{ref: ref}, strings.HasPrefix(ref, "refs/")
	}
	id, ok := parseID(data)
	return head{id: id}, ok
}

// parseID takes a commit id that is followed by white space or nothing.
func parseID(data []byte) (string, bool) {
	id, _, _ := bytes.Cut(data, []byte{'\n'})
	id = bytes.TrimRight(id, " \t\r")
	if len(id) != sha1Digits && len(id) != sha256Digits {
		return "", false
	}
	for _, c := range id {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return "", false
		}
	}
	return string(id), true
}

// branch is the short name that HEAD holds, empty when detached, outside refs/heads, or not a name. A
// branch that is itself a symbolic name for another keeps its own.
func (h head) branch() string {
	short, ok := strings.CutPrefix(h.ref, headsPrefix)
	if !ok || !validRef(h.ref) || utf8.RuneCountInString(short) > protocol.MaxLine {
		return ""
	}
	return short
}

// commit is the commit of HEAD, empty if there is none yet or it cannot be read. Only branches are
// looked up: other refs may belong to one worktree.
func (h head) commit(commonDir string) string {
	for range maxSymbolic {
		if h.id != "" {
			return h.id
		}
		if h.branch() == "" {
			return ""
		}
		content, err := smallfile.ReadPointer(filepath.Join(commonDir, filepath.FromSlash(h.ref)), true)
		if err != nil {
			return packedCommit(commonDir, h.ref)
		}
		next, ok := parseHead(content)
		if !ok {
			return ""
		}
		h = next
	}
	return h.id
}

func packedCommit(commonDir, ref string) string {
	file, err := smallfile.Read(filepath.Join(commonDir, "packed-refs"), smallfile.Options{Max: maxPackedRefs, Follow: true})
	if err != nil {
		return ""
	}
	return parsePackedRefs(file.Data, ref)
}

// parsePackedRefs finds the line "ID REF". Lines that begin with # or ^ are remarks and hold no id.
func parsePackedRefs(data []byte, ref string) string {
	want := []byte(" " + ref)
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		if id, ok := bytes.CutSuffix(bytes.TrimRight(line, "\r"), want); ok {
			if id, ok := parseID(id); ok {
				return id
			}
		}
	}
	return ""
}

// validRef follows git-check-ref-format(1). A valid name is also safe to use as a path.
func validRef(ref string) bool {
	if !utf8.ValidString(ref) || strings.HasSuffix(ref, ".") || strings.Contains(ref, "..") || strings.Contains(ref, "@{") {
		return false
	}
	for i := range len(ref) {
		if c := ref[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	for name := range strings.SplitSeq(ref, "/") {
		if name == "" || name[0] == '.' || strings.HasSuffix(name, ".lock") {
			return false
		}
	}
	return true
}
