package signature_test

import (
	"bytes"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/protocol"
)

func key(t *testing.T) (minisign.PublicKey, minisign.PrivateKey) {
	t.Helper()
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, secret
}

func TestKeysAreStampedAsText(t *testing.T) {
	one, _ := key(t)
	two, _ := key(t)
	keys, err := signature.ParseKeys(one.String() + "," + two.String())
	if err != nil || len(keys) != 2 || !keys[0].Equal(one) || !keys[1].Equal(two) {
		t.Errorf("%v, %v", keys, err)
	}
	for _, bad := range []string{"", ",", one.String() + ",", "nonsense", one.String()[1:]} {
		if keys, err := signature.ParseKeys(bad); err == nil {
			t.Errorf("%q: %v", bad, keys)
		}
	}
}

func TestSignatures(t *testing.T) {
	manifest := []byte("what is signed")
	public, secret := key(t)
	name, file := signature.Sign(secret, manifest, "acc 1.2.3")
	if !signature.IsFileName(name) {
		t.Errorf("%q is no signature", name)
	}
	if _, again := signature.Sign(secret, manifest, "acc 1.2.3"); !bytes.Equal(file, again) {
		t.Error("the same key and manifest give another signature")
	}
	stranger, strangersSecret := key(t)
	strangersName, strangersFile := signature.Sign(strangersSecret, manifest, "")
	for _, c := range []struct {
		what       string
		keys       signature.Keys
		manifest   string
		signatures map[string][]byte
		want       string
	}{
		{"as signed", signature.Keys{public}, "what is signed", map[string][]byte{name: file}, ""},
		{"beside an unknown one", signature.Keys{public}, "what is signed", map[string][]byte{name: file, strangersName: strangersFile}, ""},
		{"by one of two", signature.Keys{stranger, public}, "what is signed", map[string][]byte{name: file}, ""},
		{"another manifest", signature.Keys{public}, "what is signet", map[string][]byte{name: file}, "does not fit"},
		{"by nobody", signature.Keys{public}, "what is signed", nil, "none of the 1 keys"},
		{"by a stranger", signature.Keys{public}, "what is signed", map[string][]byte{strangersName: strangersFile}, "none of the 1 keys"},
		{"by a stranger under a trusted name", signature.Keys{public}, "what is signed", map[string][]byte{name: strangersFile}, "does not fit"},
		{"one of two is wrong", signature.Keys{stranger, public}, "what is signed", map[string][]byte{name: file, strangersName: file}, "does not fit"},
		{"no keys", nil, "what is signed", map[string][]byte{name: file}, "none of the 0 keys"},
	} {
		err := c.keys.Verify([]byte(c.manifest), c.signatures)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.what, err)
		case c.want != "" && (protocol.ReasonOf(err) != release.ReasonSignatureInvalid || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

func TestFileNames(t *testing.T) {
	good := signature.FileName(0xAB)
	if good != "manifest.json.00000000000000AB.minisig" || !signature.IsFileName(good) {
		t.Error(good)
	}
	for _, bad := range []string{"manifest.json", "manifest.json.minisig", strings.ToLower(good), "x" + good, good + "x", "manifest.json.AB.minisig", "manifest.json.+0000000000000AB.minisig"} {
		if signature.IsFileName(bad) {
			t.Errorf("%q is a signature", bad)
		}
	}
}
