package tarball

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"aead.dev/minisign"
	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/protocol"
)

// made is a release of a few bytes, and the key that signed it.
type made struct {
	files    []Entry
	manifest *release.Manifest
	raw      []byte
	keys     signature.Keys
	secret   minisign.PrivateKey
}

func newKey(t testing.TB) (minisign.PublicKey, minisign.PrivateKey) {
	t.Helper()
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, secret
}

func makeRelease(t testing.TB) *made {
	t.Helper()
	m := &made{manifest: &release.Manifest{
		Name: "acc-test", Version: "1.2.3", BuildID: strings.Repeat("0a", 12), Platform: "linux-x64",
		StoreContract: 7, UpdateProtocol: 1, Adapters: []string{"claude_code"},
	}}
	for _, path := range []string{"LICENSE", "bin/acc", "bin/acc-hook", "bin/acc-mcp", "bin/acc-worker", "package.json"} {
		e := Entry{Path: path, Mode: release.Plain, Content: []byte("content of " + path)}
		if strings.HasPrefix(path, "bin/") {
			e.Mode = release.Program
		}
		m.files = append(m.files, e)
		m.manifest.Files = append(m.manifest.Files, release.Describe(e.Path, e.Mode, e.Content))
	}
	var err error
	if m.raw, err = m.manifest.Encode(); err != nil {
		t.Fatal(err)
	}
	public, secret := newKey(t)
	m.keys, m.secret = signature.Keys{public}, secret
	return m
}

// entries are what the package holds: the manifest, its signature, the files.
func (m *made) entries() []Entry {
	name, file := signature.Sign(m.secret, m.raw, "test")
	head := []Entry{{release.ManifestName, release.Plain, m.raw}, {name, release.Plain, file}}
	return append(head, m.files...)
}

func packed(t testing.TB, entries []Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, entries); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// extracted opens and extracts a package, and gives the files that came out.
func extracted(t testing.TB, archive []byte, keys signature.Keys) (map[string]string, error) {
	t.Helper()
	p, err := Open(bytes.NewReader(archive), keys)
	if err != nil {
		return nil, err
	}
	dir := t.TempDir()
	into, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	if err := p.Extract(context.Background(), into); err != nil {
		return nil, err
	}
	files := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		data, err := os.ReadFile(path)
		mode := info.Mode().String()
		if runtime.GOOS == "windows" {
			mode = ""
		}
		files[filepath.ToSlash(name)] = mode + " " + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, nil
}

func TestRoundTrip(t *testing.T) {
	m := makeRelease(t)
	archive := packed(t, m.entries())
	if !bytes.Equal(archive, packed(t, m.entries())) {
		t.Error("the same entries give other bytes")
	}
	got, err := extracted(t, archive, m.keys)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, e := range m.entries() {
		mode := e.Mode.Perm().String()
		if runtime.GOOS == "windows" {
			mode = ""
		}
		want[e.Path] = mode + " " + string(e.Content)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRotation takes a release that changes the key, from a build that trusts the old one and from one that
// trusts the new one.
func TestRotation(t *testing.T) {
	m := makeRelease(t)
	next, secret := newKey(t)
	name, file := signature.Sign(secret, m.raw, "test")
	archive := packed(t, append(m.entries(), Entry{name, release.Plain, file}))
	stranger, _ := newKey(t)
	for who, keys := range map[string]signature.Keys{"old": m.keys, "new": {next}, "both": {next, m.keys[0]}, "one of several": {stranger, next}} {
		if _, err := extracted(t, archive, keys); err != nil {
			t.Errorf("%s: %v", who, err)
		}
	}
	if _, err := extracted(t, archive, signature.Keys{stranger}); protocol.ReasonOf(err) != release.ReasonSignatureInvalid {
		t.Errorf("a stranger's key: %v", err)
	}
}

// TestEveryByteCounts flips a bit of each byte of each file in a package, signatures included. No change goes unnoticed.
func TestEveryByteCounts(t *testing.T) {
	m := makeRelease(t)
	for i, e := range m.entries() {
		for at := range e.Content {
			entries := m.entries()
			changed := bytes.Clone(e.Content)
			changed[at] ^= 1 << (at % 8)
			entries[i].Content = changed
			if _, err := extracted(t, raw(t, headers(entries)...), m.keys); err == nil {
				t.Fatalf("%s byte %d: accepted", e.Path, at)
			}
		}
	}
}

// raw builds an archive from headers, as an enemy does.
func raw(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(zipped)
	for _, h := range headers {
		content := []byte(h.Uname) // carries the content to here
		h.Uname = ""
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		if err := archive.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := archive.Write(content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// headers gives entries in the form that raw takes.
func headers(entries []Entry) []tar.Header {
	var all []tar.Header
	for _, e := range entries {
		all = append(all, tar.Header{Typeflag: tar.TypeReg, Name: root + e.Path, Mode: 0o644, Uname: string(e.Content)})
	}
	return all
}

func TestHostileArchives(t *testing.T) {
	m := makeRelease(t)
	good := func() []tar.Header { return headers(m.entries()) }
	if _, err := extracted(t, raw(t, good()...), m.keys); err != nil {
		t.Fatal(err)
	}
	file := func(name string) tar.Header {
		return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Uname: "x"}
	}
	link := func(kind byte, name, to string) tar.Header {
		return tar.Header{Typeflag: kind, Name: name, Linkname: to}
	}
	for _, c := range []struct {
		name, problem string
		extra         tar.Header
	}{
		{"absolute", "no plain path", file("/etc/passwd")},
		{"outside", "no plain path", file("package/../../x")},
		{"outside by its root", "no plain path", file("other/x")},
		{"backslash", "no plain path", file(`package/..\x`)},
		{"drive", "no plain path", file("package/C:/x")},
		{"stream", "no plain path", file("package/bin/acc:x")},
		{"empty element", "no plain path", file("package/bin//acc")},
		{"current directory", "no plain path", file("package/./x")},
		{"hidden", "no plain path", file("package/.npmrc")},
		{"not declared", "is not declared", file("package/bin/extra")},
		{"twice", "is there twice", file("package/bin/acc")},
		{"twice in another case", "is there twice", file("package/BIN/acc")},
		{"a second manifest", "is there twice", file("package/manifest.json")},
		{"symbolic link", "is no regular file", link(tar.TypeSymlink, "package/x", "/etc/passwd")},
		{"hard link", "is no regular file", link(tar.TypeLink, "package/x", "package/bin/acc")},
		{"directory", "is no regular file", link(tar.TypeDir, "package/d", "")},
		{"device", "is no regular file", link(tar.TypeChar, "package/d", "")},
		{"block device", "is no regular file", link(tar.TypeBlock, "package/d", "")},
		{"pipe", "is no regular file", link(tar.TypeFifo, "package/d", "")},
		{"a link over a file", "is no regular file", link(tar.TypeSymlink, "package/bin/acc", "/etc/passwd")},
		{"a long name", "no plain path", file("package/" + strings.Repeat("x", 201))},
		{"a very long name", "no plain path", file("package/" + strings.Repeat("x/", 40<<10) + "x")},
		{"a name with a line end", "no plain path", file("package/x\n")},
		{"a name in another alphabet", "no plain path", file("package/аcc")},
		{"global header", "is no regular file", tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "g", PAXRecords: map[string]string{"path": "x"}}},
		{"signature that is too large", "larger than", tar.Header{Typeflag: tar.TypeReg, Name: root + signature.FileName(1), Uname: strings.Repeat("x", signature.MaxSize+1)}},
	} {
		for _, first := range []bool{true, false} {
			headers := append(good(), c.extra)
			if first {
				headers = append([]tar.Header{c.extra}, good()...)
			}
			_, err := extracted(t, raw(t, headers...), m.keys)
			if protocol.ReasonOf(err) != release.ReasonArchiveInvalid || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s (first: %v): %v, want %q", c.name, first, err, c.problem)
			}
		}
	}
	for i, h := range good() {
		if _, err := extracted(t, raw(t, append(good()[:i:i], good()[i+1:]...)...), m.keys); err == nil {
			t.Errorf("without %s: accepted", h.Name)
		}
	}
	many := good()
	for i := range maxEntries {
		many = append(many, file("package/many/"+strings.Repeat("x", i+1)))
	}
	if _, err := extracted(t, raw(t, many...), m.keys); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("many entries: %v", err)
	}
}

// TestModesOfTheArchiveDoNotCount: what the manifest declares does, so nothing that was unpacked is set-user-id.
func TestModesOfTheArchiveDoNotCount(t *testing.T) {
	m := makeRelease(t)
	want, err := extracted(t, packed(t, m.entries()), m.keys)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []int64{0, 0o7777, 0o4755, 0o100000000} {
		entries := headers(m.entries())
		for i := range entries {
			entries[i].Mode, entries[i].Uid, entries[i].Gid = mode, 0, 0
		}
		got, err := extracted(t, raw(t, entries...), m.keys)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%o: %v: %s", mode, err, diff)
		}
	}
}

// TestSparse: a file that claims to be mostly holes is refused in each of the forms that there are.
func TestSparse(t *testing.T) {
	m := makeRelease(t)
	for _, records := range []map[string]string{
		{"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "package/x", "GNU.sparse.realsize": "1000000000000"},
		{"GNU.sparse.size": "1000000000000", "GNU.sparse.numblocks": "0", "GNU.sparse.map": ""},
	} {
		var b bytes.Buffer
		zipped := gzip.NewWriter(&b)
		var body, block bytes.Buffer
		for name, value := range records {
			line := name + "=" + value + "\n"
			n := len(line) + 3
			if n > 99 {
				n++
			}
			body.WriteString(strconv.Itoa(n) + " " + line)
		}
		w := tar.NewWriter(&block)
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "x", Size: int64(body.Len()), Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(body.Bytes())
		_ = w.Flush()
		head := block.Bytes()
		head[156] = 'x' // a header of the next entry
		checksum(head[:512])
		_, _ = zipped.Write(head)
		block.Reset()
		w = tar.NewWriter(&block)
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "package/x", Size: 512, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(append([]byte("0\n"), make([]byte, 510)...))
		_ = w.Close()
		_, _ = zipped.Write(block.Bytes())
		_ = zipped.Close()
		if _, err := Open(bytes.NewReader(b.Bytes()), m.keys); protocol.ReasonOf(err) != release.ReasonArchiveInvalid || !strings.Contains(err.Error(), "sparse") {
			t.Errorf("%v: %v", records, err)
		}
	}
}

// checksum makes the checksum of a header right again.
func checksum(header []byte) {
	copy(header[148:156], "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func TestDamagedArchives(t *testing.T) {
	m := makeRelease(t)
	archive := packed(t, m.entries())
	for cut := range archive {
		if _, err := extracted(t, archive[:cut], m.keys); err == nil {
			t.Fatalf("cut at %d of %d: accepted", cut, len(archive))
		}
	}
	for _, garbage := range []string{"\x00", "x", "PK\x03\x04", "\x1f\x8b"} {
		if _, err := extracted(t, append(bytes.Clone(archive), garbage...), m.keys); err == nil {
			t.Errorf("%q after the end: accepted", garbage)
		}
	}
	var second bytes.Buffer
	zipped := gzip.NewWriter(&second)
	_, _ = zipped.Write([]byte("more"))
	_ = zipped.Close()
	if _, err := extracted(t, append(bytes.Clone(archive), second.Bytes()...), m.keys); err == nil || !strings.Contains(err.Error(), "follows its end") {
		t.Errorf("something after the end: %v", err)
	}
}

// TestBombs unpacks archives that are small and claim or hold far more than a release may.
func TestBombs(t *testing.T) {
	m := makeRelease(t)
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	archive := tar.NewWriter(zipped)
	if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: root + "x", Size: release.MaxFileSize + 1}); err != nil {
		t.Fatal(err)
	}
	_ = zipped.Close()
	if _, err := Open(bytes.NewReader(b.Bytes()), m.keys); err == nil || !strings.Contains(err.Error(), "is too large") {
		t.Errorf("a file that is too large: %v", err)
	}
	if !testing.Short() {
		// A few hundred kilobytes that unpack to more than a release may hold, where only padding is allowed.
		b.Reset()
		zipped, _ = gzip.NewWriterLevel(&b, gzip.BestSpeed)
		unzipped, err := gzip.NewReader(bytes.NewReader(packed(t, m.entries())))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(zipped, unzipped)
		_, _ = io.CopyN(zipped, zeros{}, release.MaxTotalSize+overhead)
		_ = zipped.Close()
		if _, err := Open(bytes.NewReader(b.Bytes()), m.keys); err == nil || !strings.Contains(err.Error(), errTooLarge.Error()) || b.Len() > 8<<20 {
			t.Errorf("%d bytes: %v", b.Len(), err)
		}
	}
	limited := &bounded{from: zeros{}, left: 1000}
	if n, err := io.Copy(io.Discard, limited); n != 1000 || err != errTooLarge {
		t.Errorf("an endless stream: %d, %v", n, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestTheArchiveChangesAfterItWasChecked swaps the archive below an opened package.
func TestTheArchiveChangesAfterItWasChecked(t *testing.T) {
	m := makeRelease(t)
	good := packed(t, m.entries())
	for name, change := range map[string]func([]Entry) []Entry{
		"manifest": func(e []Entry) []Entry { e[0].Content = []byte("{}"); return e },
		"file":     func(e []Entry) []Entry { e[3].Content = []byte("evil"); return e },
		"new file": func(e []Entry) []Entry { return append(e, Entry{"x", release.Plain, nil}) },
		"missing":  func(e []Entry) []Entry { return e[:len(e)-1] },
	} {
		source := &swapped{ReadSeeker: bytes.NewReader(good)}
		p, err := Open(source, m.keys)
		if err != nil {
			t.Fatal(err)
		}
		source.ReadSeeker = bytes.NewReader(packed(t, change(m.entries())))
		into, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Extract(context.Background(), into); protocol.ReasonOf(err) != release.ReasonArchiveInvalid {
			t.Errorf("%s: %v", name, err)
		}
		_ = into.Close()
	}
}

type swapped struct{ io.ReadSeeker }

// FuzzWalk gives the reader arbitrary tar files. What it lets through is a plain file, once.
func FuzzWalk(f *testing.F) {
	m := makeRelease(f)
	var b bytes.Buffer
	unzipped, err := gzip.NewReader(bytes.NewReader(packed(f, m.entries())))
	if err != nil {
		f.Fatal(err)
	}
	if _, err := io.Copy(&b, unzipped); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, archive []byte) {
		var zipped bytes.Buffer
		w, _ := gzip.NewWriterLevel(&zipped, gzip.NoCompression)
		_, _ = w.Write(archive)
		_ = w.Close()
		seen := map[string]bool{}
		err := walk(&zipped, func(path string, size int64, content io.Reader) error {
			n, err := io.Copy(io.Discard, content)
			if err != nil {
				return err
			}
			if n != size || !filepath.IsLocal(path) || !fs.ValidPath(path) || seen[strings.ToLower(path)] {
				t.Fatalf("%q of %d bytes, %d read", path, size, n)
			}
			seen[strings.ToLower(path)] = true
			return nil
		})
		if err != nil && protocol.ReasonOf(err) != release.ReasonArchiveInvalid {
			t.Fatal(err)
		}
	})
}
