//go:build unix

package fsstore_test

import (
	"syscall"
	"testing"
)

func withUmask(t *testing.T, mask int, f func()) {
	t.Helper()
	defer syscall.Umask(syscall.Umask(mask))
	f()
}
