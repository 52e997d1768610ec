// Package vfstest has file systems for tests of the store.
//
// Disk is a disk in memory that several simulated processes share. It knows what has been flushed, and at
// a power cut it keeps that and, of everything else, whatever a seed chooses. Wrap puts a hook in front of
// any file system, which counts operations and can make one of them fail, tear, or be the last one of its
// process. A sweep runs the same scenario with a fault at operation k = 0, 1, 2, ... until none fires.
package vfstest
