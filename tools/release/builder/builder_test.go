package builder

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/cli/release/tarball"
)

func TestOptionsThatEndInNoRelease(t *testing.T) {
	_, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := func() Options {
		return Options{Version: "1.2.3", Name: "@example/acc", Registry: "https://registry.example", Platforms: release.Platforms, Keys: []minisign.PrivateKey{key}}
	}
	if o := good(); o.check() != nil {
		t.Fatal(o.check())
	}
	for what, change := range map[string]func(*Options){
		"version":  func(o *Options) { o.Version = "1.2.3-rc.1" },
		"name":     func(o *Options) { o.Name = "Example Acc" },
		"registry": func(o *Options) { o.Registry = "registry.example" },
		"revision": func(o *Options) { o.Commit = "main" },
		"key":      func(o *Options) { o.Keys = nil },
		"platform": func(o *Options) { o.Platforms = nil },
		"built": func(o *Options) {
			o.Platforms = []release.Platform{{Name: "linux-x64", GOOS: "plan9", GOARCH: "amd64"}}
		},
	} {
		o := good()
		change(&o)
		if err := o.check(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestTrustedKeys: a release trusts the next one by the keys that sign it and by those that will.
func TestTrustedKeys(t *testing.T) {
	one, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	next, _, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Keys: []minisign.PrivateKey{key}, Trust: []minisign.PublicKey{next, one}}
	keys, err := signature.ParseKeys(o.trusted())
	if err != nil || len(keys) != 2 {
		t.Errorf("%v, %v", keys, err)
	}
	o.Trust = []minisign.PublicKey{one, next}
	if again, _ := signature.ParseKeys(o.trusted()); !again[0].Equal(keys[0]) || !again[1].Equal(keys[1]) {
		t.Error("the order in which keys are given counts")
	}
}

func TestZip(t *testing.T) {
	entries := []tarball.Entry{{Path: "bin/acc.exe", Mode: release.Program, Content: bytes.Repeat([]byte("x"), 1000)}, {Path: "LICENSE", Mode: release.Plain, Content: []byte("y")}}
	var one, other bytes.Buffer
	for _, b := range []*bytes.Buffer{&one, &other} {
		if err := zipBelow(b, "acc-1.2.3/", entries); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), other.Bytes()) {
		t.Error("the same entries give other bytes")
	}
	archive, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range archive.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(content)
		if err != nil || f.Name != "acc-1.2.3/"+entries[i].Path || !bytes.Equal(data, entries[i].Content) || f.Mode().Perm() != entries[i].Mode.Perm() {
			t.Errorf("%s %v: %v", f.Name, f.Mode(), err)
		}
	}
}

func TestNames(t *testing.T) {
	if got := npmFile("@example/acc-linux-x64", "1.2.3"); got != "example-acc-linux-x64-1.2.3.tgz" {
		t.Error(got)
	}
	if got := npmURL("@example/acc", "1.2.3"); got != "pkg:npm/%40example/acc@1.2.3" {
		t.Error(got)
	}
	for _, p := range release.Platforms {
		if got := npmSystem(p) + "-" + npmCPU(p); got != p.Name {
			t.Errorf("npm calls %s %s", p.Name, got)
		}
	}
}
