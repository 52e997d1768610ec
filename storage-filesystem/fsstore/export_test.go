package fsstore

import "github.com/acc-control-plane/acc/core"

// RotateAt makes segments small, so that a test fills many.
func (o Options) RotateAt(bytes int64) Options {
	o.rotateAt = bytes
	return o
}

// LagFrames is after how many frames a writer publishes.
func (o Options) LagFrames(frames uint64) Options {
	o.lagFrames = frames
	return o
}

// Scan answers q by looking at every record: what the indexes must agree with.
func Scan(r core.Reader, q core.Query) ([]core.Entry, error) {
	snap, ok := r.(*snapshot)
	if !ok {
		return nil, nil // there is no store yet
	}
	all, err := snap.listed(indexKind(q.Index), q.Index, q.Key, nil)
	return page(all, q), err
}

// Bounds that tests measure against.
const (
	Lag    = lagFrames
	MaxLag = maxLag
)
