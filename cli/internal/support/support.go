// Package support packs what somebody needs to help: facts about an installation and a room, and nothing that
// anybody wrote there. What goes in is decided by the caller; this package lists directories without their
// contents and writes the archive.
package support

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"
)

// File is one file of a bundle.
type File struct {
	Name string
	Data []byte
}

// Variables are the environment variables that acc reads.
var Variables = []string{
	"ACC_DATA_HOME", "ACC_WORKSPACE_ROOT", "ACC_PARTICIPANT", "ACC_SESSION", "ACC_GENERATION", "ACC_MCP_PARTICIPANT", "ACC_MCP_WORKSPACE",
	"XDG_DATA_HOME", "NO_COLOR", "TERM",
}

// maxListed is how many names a list holds.
const maxListed = 20_000

var errEnough = errors.New("the list is long enough")

// List gives mode, size, time and name of what lies below dir, without reading any of it. Symbolic links are named
// and not followed.
func List(ctx context.Context, dir string) []byte {
	var text bytes.Buffer
	listed := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if listed++; listed > maxListed {
			return errEnough
		}
		name, relErr := filepath.Rel(dir, path)
		if err != nil || relErr != nil {
			fmt.Fprintf(&text, "? %q\n", name)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // gone meanwhile
		}
		fmt.Fprintf(&text, "%s %d %s %q\n", info.Mode(), info.Size(), info.ModTime().UTC().Format(time.RFC3339), filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		fmt.Fprintf(&text, "and more: %v\n", err)
	}
	return text.Bytes()
}

// Write writes files as a compressed archive.
func Write(to io.Writer, files []File, now time.Time) error {
	packed := gzip.NewWriter(to)
	archive := tar.NewWriter(packed)
	for _, f := range files {
		header := &tar.Header{Name: "acc-support/" + f.Name, Mode: 0o600, Size: int64(len(f.Data)), ModTime: now, Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.Data); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}
