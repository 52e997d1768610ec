package main

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// frameBytes is about what a message takes in the journal.
const frameBytes = 3000

// rawFile is what a journal would be if it did nothing but append and flush.
type rawFile struct{ *os.File }

func newRawFile(dir string) (rawFile, error) {
	f, err := os.Create(filepath.Join(dir, "raw"))
	return rawFile{f}, err
}

// flush appends a frame's bytes and waits until the disk has them.
func (f rawFile) flush() (time.Duration, error) {
	data := make([]byte, frameBytes)
	started := time.Now()
	if _, err := f.Write(data); err != nil {
		return 0, err
	}
	err := syncData(f.File)
	return time.Since(started), err
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2]
}
