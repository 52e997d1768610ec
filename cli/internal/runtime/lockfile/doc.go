// Package lockfile locks whole files through the kernel, between processes.
//
// A lock belongs to one opening of the file: it ends when that is closed, and so at the latest with the
// process that holds it (or with the last process that inherited it), whatever kills it. Nothing else frees
// a lock, its age least of all. Files that are locked are never replaced, so a lock counts only as long as
// its path still names the locked file; Named asks for that.
//
// On Unix it is flock on a raw descriptor, which the garbage collector never closes. On Windows it is
// LockFileEx on one byte far beyond the end.
package lockfile
