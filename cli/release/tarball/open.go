package tarball

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
)

// Package is a package whose manifest a trusted key has signed.
type Package struct {
	Manifest *release.Manifest
	// Raw are the bytes of the manifest as they were signed.
	Raw []byte
	// Signatures are the signature files, by name.
	Signatures map[string][]byte

	archive io.ReadSeeker
}

// Open reads the manifest of a package and checks its signature. It looks at every entry, but the content of
// the declared files is checked by Extract. The archive must stay open and unchanged until then. A refusal is
// a *protocol.Error with ReasonArchiveInvalid, ReasonManifestInvalid or ReasonSignatureInvalid.
func Open(archive io.ReadSeeker, keys signature.Keys) (*Package, error) {
	p := &Package{Signatures: map[string][]byte{}, archive: archive}
	sizes := map[string]int64{}
	err := walk(archive, func(path string, size int64, content io.Reader) (err error) {
		switch {
		case path == release.ManifestName:
			p.Raw, err = small(content, size, release.MaxManifest)
		case signature.IsFileName(path):
			if len(p.Signatures) == signature.MaxSignatures {
				return fmt.Errorf("there are more than %d signatures", signature.MaxSignatures)
			}
			p.Signatures[path], err = small(content, size, signature.MaxSize)
		default:
			sizes[path] = size
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.Raw == nil {
		return nil, refused("it has no "+release.ManifestName, nil)
	}
	if err := keys.Verify(p.Raw, p.Signatures); err != nil {
		return nil, err
	}
	if p.Manifest, err = release.DecodeManifest(p.Raw); err != nil {
		return nil, err
	}
	return p, agree(p.Manifest, sizes)
}

// agree says nothing if the archive holds the declared files and no other.
func agree(m *release.Manifest, sizes map[string]int64) error {
	for _, f := range m.Files {
		size, found := sizes[f.Path]
		switch {
		case !found:
			return refused(f.Path+" is declared and missing", nil)
		case size != f.Size:
			return refused(fmt.Sprintf("%s has %d bytes instead of %d", f.Path, size, f.Size), nil)
		}
		delete(sizes, f.Path)
	}
	for path := range sizes {
		return refused(path+" is not declared", nil)
	}
	return nil
}

// Extract writes the declared files, the manifest and the signatures into a directory, which must be empty.
// A file whose content is not what the manifest declares is an error; what was written by then is of no use.
// Nothing is flushed.
func (p *Package) Extract(ctx context.Context, into *os.Root) error {
	if _, err := p.archive.Seek(0, io.SeekStart); err != nil {
		return refused("it cannot be read again", err)
	}
	written := 0
	err := walk(p.archive, func(path string, _ int64, content io.Reader) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		declared, found := p.Manifest.File(path)
		if !found {
			return p.keep(into, path, content)
		}
		written++
		return extract(into, declared, content)
	})
	if err == nil && written != len(p.Manifest.Files) {
		return refused("it changed while it was read", nil)
	}
	return err
}

// keep writes the manifest or a signature, which must be as it was when it was checked.
func (p *Package) keep(into *os.Root, name string, content io.Reader) error {
	checked, found := p.Signatures[name]
	if name == release.ManifestName {
		checked, found = p.Raw, true
	}
	now, err := io.ReadAll(io.LimitReader(content, int64(len(checked))+1))
	if err != nil {
		return err
	}
	if !found || !bytes.Equal(checked, now) {
		return refused("it changed while it was read", nil)
	}
	return write(into, name, release.Plain, bytes.NewReader(now))
}

func extract(into *os.Root, declared release.FileInfo, content io.Reader) error {
	digest := sha256.New()
	if err := write(into, declared.Path, declared.Mode, io.TeeReader(content, digest)); err != nil {
		return err
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != declared.SHA256 {
		return refused(declared.Path+" is not the file that the manifest declares", nil)
	}
	return nil
}

func write(into *os.Root, name string, mode release.Mode, content io.Reader) error {
	if dir := path.Dir(name); dir != "." {
		if err := into.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	file, err := into.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err == nil {
		err = file.Chmod(mode.Perm()) // whatever the umask is
	}
	return cmp.Or(err, file.Close())
}

// small reads a whole entry that must not be large.
func small(content io.Reader, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return io.ReadAll(content)
}
