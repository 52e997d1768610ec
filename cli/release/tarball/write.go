package tarball

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"time"

	"github.com/acc-control-plane/acc/cli/release"
)

// Entry is one file of an archive that is written.
type Entry struct {
	Path    string // relative, with slashes
	Mode    release.Mode
	Content []byte
}

// Epoch is the time of every file in an archive: the one that npm gives them.
var Epoch = time.Date(1985, time.October, 26, 8, 15, 0, 0, time.UTC)

// Write writes an npm package with these files, in their order. The same entries give the same bytes.
func Write(w io.Writer, entries []Entry) error { return WriteBelow(w, root, entries) }

// WriteBelow is Write for an archive that has its files below another directory, given with a final slash.
func WriteBelow(w io.Writer, dir string, entries []Entry) error {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zipped)
	for _, e := range entries {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: dir + e.Path, Mode: int64(e.Mode.Perm()), Size: int64(len(e.Content)), ModTime: Epoch, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.Content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return zipped.Close()
}
