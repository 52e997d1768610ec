// Package apicheck keeps what vendors build against: the exported names of protocol, adapter-sdk and
// adapter-sdk/adaptertest. Their types as of the last release lie in testdata, and a change that would keep
// a vendor's adapter from compiling fails the test. Additions pass.
//
// With a release, or for a break that is meant (before v1 it needs a changelog fragment of the kind
// breaking), write the types anew:
//
//	go test ./tools/apicheck -update
//
// The comparison is golang.org/x/exp/apidiff's. Start reading at module.go.
package apicheck
