//go:build !unix

package main

// holdWriterLock needs a signal that this platform does not have.
func holdWriterLock(string) {}
