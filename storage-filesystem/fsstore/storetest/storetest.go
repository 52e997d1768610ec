// Package storetest opens stores for tests, of this module and of others, and checks each of them from
// end to end when the test is over: whatever a test was about, a store that it leaves behind must be whole.
package storetest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// Options are those of a store in a data home of the test's own, which its first Update makes. A fault
// that does not fail its operation fails the test.
func Options(t testing.TB, workspaceID string) fsstore.Options {
	return fsstore.Options{
		Dir:         filepath.Join(t.TempDir(), "acc", "workspaces", workspaceID),
		WorkspaceID: workspaceID,
		Create:      true,
		Diagnose:    func(err error) { t.Errorf("diagnostic: %v", err) },
	}
}

// Open opens a store that is checked when the test is over.
func Open(t testing.TB, opts fsstore.Options) *fsstore.Store {
	t.Helper()
	s, err := fsstore.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Check(t, s) })
	return s
}

// Check fails the test for everything that is wrong with s.
func Check(t testing.TB, s *fsstore.Store) fsstore.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	report, err := s.Fsck(ctx)
	if err != nil {
		t.Errorf("the store cannot be checked: %v", err)
	}
	for _, f := range report.Findings {
		t.Errorf("fsck: %s", f)
	}
	return report
}
