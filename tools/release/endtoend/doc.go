// Package endtoend holds tests that build two real releases, serve them from a registry on loopback, and let real
// executables install, run and update themselves. It exports nothing.
//
//	ACC_RELEASE_TESTS=1 go test ./tools/release/endtoend                   two releases of this platform, shared by
//	                                                                       all tests: a minute of the processor
//	ACC_RELEASE_TESTS=all go test -timeout 60m ./tools/release/endtoend    also every platform, the same bytes from
//	                                                                       another place and an empty cache, a bit
//	                                                                       in each file of a real release, a build that a
//	                                                                       vendor assembled, and processes that are killed
//	                                                                       at many moments
//
// Without the variable they are left out.
package endtoend
