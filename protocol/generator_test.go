package protocol

import (
	"slices"
	"testing"
	"time"
)

func TestIDsSortWhenTheClockStepsBack(t *testing.T) {
	now := time.UnixMilli(5_000_000)
	g := NewGenerator()
	g.now = func() time.Time { return now }
	var ids []string
	for _, step := range []time.Duration{0, 0, -time.Hour, time.Millisecond, time.Hour, -time.Second, 0} {
		now = now.Add(step)
		ids = append(ids, g.NewID(EventIDPrefix))
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("not in order: %v", ids)
	}
}
