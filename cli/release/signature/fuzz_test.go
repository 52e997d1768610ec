package signature_test

import (
	"bytes"
	"testing"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/protocol"
)

// FuzzVerify gives arbitrary bytes for a signature and for the keys of a build. Nothing but the file that Sign
// gave is a signature, and whatever is refused is refused with the one reason.
func FuzzVerify(f *testing.F) {
	manifest := []byte("what is signed")
	public, secret, err := minisign.GenerateKey(bytes.NewReader(bytes.Repeat([]byte("acc"), 32)))
	if err != nil {
		f.Fatal(err)
	}
	name, signed := signature.Sign(secret, manifest, "acc 1.2.3")
	f.Add(signed, public.String())
	f.Add([]byte("untrusted comment: x\nRWQ=\ntrusted comment: y\nAAAA\n"), public.String()+",")
	f.Fuzz(func(t *testing.T, file []byte, keys string) {
		if trusted, err := signature.ParseKeys(keys); err != nil && protocol.ReasonOf(err) != release.ReasonSignatureInvalid {
			t.Fatal(err)
		} else if err == nil && len(trusted) == 0 {
			t.Fatalf("%q is no key and no error", keys)
		}
		switch err := (signature.Keys{public}).Verify(manifest, map[string][]byte{name: file}); {
		case err == nil && !bytes.Equal(file, signed):
			t.Fatalf("accepted %q", file)
		case err != nil && protocol.ReasonOf(err) != release.ReasonSignatureInvalid:
			t.Fatal(err)
		}
	})
}
