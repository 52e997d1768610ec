//go:build race

package fsstore_test

const raceDetector = true
