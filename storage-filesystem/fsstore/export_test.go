package fsstore

// RotateAt makes segments small, so that a test fills many.
func (o Options) RotateAt(bytes int64) Options {
	o.rotateAt = bytes
	return o
}
