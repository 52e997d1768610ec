package release

import "github.com/acc-control-plane/acc/protocol"

// Why a release is refused.
const (
	// ReasonManifestInvalid: the manifest is not one.
	ReasonManifestInvalid protocol.Reason = "release_manifest_invalid"
	// ReasonArchiveInvalid: the package is damaged, hostile, or holds something else than its manifest says.
	ReasonArchiveInvalid protocol.Reason = "release_archive_invalid"
	// ReasonSignatureInvalid: no key that this build trusts has signed the manifest.
	ReasonSignatureInvalid protocol.Reason = "release_signature_invalid"
)
