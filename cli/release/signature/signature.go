// Package signature says whose signature makes a release one of acc's own.
//
// A release is signed with minisign: a signature of the manifest lies beside it in a file that carries the id
// of the key, so that a release which changes the key can be signed by both. Whoever trusts the old key takes
// that release, and its executables trust the new one.
//
// It is a package of its own because it links the library, which no hook may pay for.
package signature

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"aead.dev/minisign"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
)

// MaxSignatures is how many keys may have signed one release.
const MaxSignatures = 4

// MaxSize is the largest signature file, in bytes.
const MaxSize = 4 << 10

// Keys are the public keys that a build trusts; any one of them suffices.
type Keys []minisign.PublicKey

// ParseKeys reads the form in which keys are stamped into a build: base64, as minisign prints a public key,
// parted by commas. Without a key it is an error: a signature that nobody can check protects nobody.
func ParseKeys(text string) (Keys, error) {
	var keys Keys
	for part := range strings.SplitSeq(text, ",") {
		var key minisign.PublicKey
		if err := key.UnmarshalText([]byte(strings.TrimSpace(part))); err != nil {
			return nil, protocol.DataError(release.ReasonSignatureInvalid, fmt.Sprintf("%q is no public key of minisign", part)).Because(err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// FileName is the name of the file that holds the signature of a key, beside the manifest.
func FileName(keyID uint64) string {
	return fmt.Sprintf("%s.%016X.minisig", release.ManifestName, keyID)
}

// IsFileName says whether a file beside the manifest claims to be a signature of it.
func IsFileName(name string) bool {
	hex, _ := strings.CutPrefix(name, release.ManifestName+".")
	hex, _ = strings.CutSuffix(hex, ".minisig")
	id, err := strconv.ParseUint(hex, 16, 64)
	return err == nil && FileName(id) == name
}

// Sign gives the file with the signature of a manifest. The same key, manifest and comment give the same bytes.
func Sign(key minisign.PrivateKey, manifest []byte, comment string) (name string, file []byte) {
	return FileName(key.ID()), minisign.SignWithComments(key, manifest, comment, unsigned(key.ID()))
}

// unsigned is the one line of the file that is not signed itself. It never changes, so that Verify can tell.
func unsigned(keyID uint64) string { return fmt.Sprintf("signature from minisign key %016X", keyID) }

// holds says whether a file is a signature by a key, byte for byte as Sign gives it.
func holds(key minisign.PublicKey, manifest, file []byte) bool {
	var s minisign.Signature
	if err := s.UnmarshalText(file); err != nil {
		return false
	}
	s.UntrustedComment = unsigned(key.ID())
	exact, err := s.MarshalText()
	return err == nil && bytes.Equal(exact, file) && minisign.Verify(key, manifest, file)
}

// Verify says nothing if one of the keys has signed the manifest. Signatures go by their file names. Of a key
// that is trusted also a signature that does not hold is an error, whoever else has signed: somebody has
// touched it.
func (k Keys) Verify(manifest []byte, signatures map[string][]byte) error {
	signed := false
	for _, key := range k {
		file, found := signatures[FileName(key.ID())]
		switch {
		case !found:
		case !holds(key, manifest, file):
			return protocol.DataError(release.ReasonSignatureInvalid, fmt.Sprintf("the signature of key %016X does not fit the manifest", key.ID()))
		default:
			signed = true
		}
	}
	if !signed {
		return protocol.DataError(release.ReasonSignatureInvalid, fmt.Sprintf("none of the %d keys that this build trusts has signed the manifest", len(k)))
	}
	return nil
}
