package fsstore_test

import "testing"

// simulated says that a test sweeps disks in memory: it takes long, shares nothing, and each disk is used by one goroutine
// at a time. So such tests run beside one another, after those with real processes, and not under the race
// detector, which would find nothing and take ten times as long.
func simulated(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("one goroutine has no races; this runs without the race detector")
	}
	t.Parallel()
}
