// Package vfs is the file system as the store uses it: a small set of operations below one directory,
// each of which can fail, be torn or be lost at a power cut.
//
// OS is the real file system. It follows no symbolic link below the base it was given, refuses what
// belongs to another user, makes directories 0700 and files 0600 whatever the umask, and knows which
// flush is needed for what on each platform. The test implementations live in vfstest: one fails the
// k-th operation, one keeps only what was flushed. Everything the store does to a disk goes through
// this port, so a new write is covered by the fault sweeps on the day it is added.
//
// Names are slash-separated and relative to the directory; callers build them from checked ids, so
// they never hold "." or ".." elements. Start reading at vfs.go.
package vfs
