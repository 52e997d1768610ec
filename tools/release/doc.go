// Command release makes a release of this work tree: npm packages and archives for every platform, with
// manifests, checksums, a bill of materials and signatures. It publishes nothing.
//
//	go run ./tools/release -version 1.2.3 -name @example/acc -registry https://registry.npmjs.org \
//		-sign ~/.minisign/minisign.key -out /tmp/acc-1.2.3
//
// docs/releases.md says how a release is made, checked and published, and how a key is changed.
package main
