package fsstore_test

import "testing"

func withUmask(t *testing.T, _ int, f func()) { t.Helper(); f() }
