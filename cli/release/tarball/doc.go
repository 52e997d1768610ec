// Package tarball reads and writes the npm package that carries a release for one platform: a compressed tar
// file with everything below "package/".
//
// Reading trusts nothing. Open looks at every entry before one is kept, and gives the manifest only if a
// trusted key has signed it; Extract then writes what the manifest declares, and nothing that differs from
// it. Writing is reproducible: the same files give the same bytes.
//
// Start reading at walk.go, which says what a package may consist of.
package tarball
