package tarball

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/protocol"
)

// root is the directory in which npm wants everything.
const root = "package/"

// Limits of an archive, beyond those of a release.
const (
	maxEntries = release.MaxFiles + 1 + signature.MaxSignatures
	// overhead bounds what an archive may hold beside the content of its files: headers and padding.
	overhead = 1 << 20
)

// walk calls visit for each entry of a package, in the order of the archive, and refuses everything that is
// not a regular file at a plain path below the root: links, directories, devices, sparse files, other
// names for one file, and more or larger files than a release may have. What visit does not read is skipped.
func walk(archive io.Reader, visit func(path string, size int64, content io.Reader) error) error {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return refused("it is not compressed as npm does it", err)
	}
	bounded := &bounded{from: unzipped, left: release.MaxTotalSize + overhead}
	entries, seen := tar.NewReader(bounded), map[string]bool{}
	for {
		header, err := entries.Next()
		switch {
		case err == io.EOF:
			return nothingAfter(bounded)
		case err != nil:
			return refused("it cannot be read", err)
		}
		path, problem := accept(header)
		switch {
		case problem != "":
			return refused(fmt.Sprintf("entry %.200q %s", header.Name, problem), nil)
		case seen[strings.ToLower(path)]:
			return refused(fmt.Sprintf("entry %.200q is there twice, in the same or other case", header.Name), nil)
		case len(seen) == maxEntries:
			return refused(fmt.Sprintf("it has more than %d entries", maxEntries), nil)
		}
		seen[strings.ToLower(path)] = true
		if err := visit(path, header.Size, entries); err != nil {
			var known *protocol.Error
			if errors.As(err, &known) {
				return err
			}
			return refused(fmt.Sprintf("entry %.200q", header.Name), err)
		}
	}
}

// accept gives the path of an entry below the root, or what is wrong with the entry.
func accept(h *tar.Header) (path, problem string) {
	if h.Typeflag != tar.TypeReg {
		return "", "is no regular file"
	}
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return "", "is sparse"
		}
	}
	path, below := strings.CutPrefix(h.Name, root)
	switch {
	case !below || !release.IsPlainPath(path):
		return "", "has no plain path below " + root
	case h.Size < 0 || h.Size > release.MaxFileSize:
		return "", "is too large"
	}
	return path, ""
}

// nothingAfter reads the rest of the archive, where tar allows padding and nothing else may be: also so that
// the checksum of the compression is checked.
func nothingAfter(rest io.Reader) error {
	var block [4 << 10]byte
	for {
		n, err := rest.Read(block[:])
		for _, b := range block[:n] {
			if b != 0 {
				return refused("something follows its end", nil)
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return refused("it cannot be read", err)
		}
	}
}

// errTooLarge ends an archive that unpacks to more than a release may hold.
var errTooLarge = errors.New("it unpacks to more than a release may hold")

// bounded is a reader that fails, instead of ending, where the limit is passed.
type bounded struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func refused(what string, cause error) error {
	message := "the package is refused: " + what
	if cause != nil {
		message += ": " + cause.Error()
	}
	return protocol.DataError(release.ReasonArchiveInvalid, message).Because(cause)
}
