package worktree

import (
	"os"
	"path/filepath"
	"time"
)

// Uncached keeps the go command from caching the result of the running test; call it from within one.
// The command watches only files of the tested module, so that a check of the whole work tree would go on
// printing its old answer after a change elsewhere. It never caches a test that opened a file younger than
// two seconds, so opening one that is dated ahead is enough. A work tree that cannot be written loses
// nothing but that.
func Uncached() {
	stamp := filepath.Join("testdata", "uncached")
	ahead := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(stamp, ahead, ahead); err != nil {
		return
	}
	if f, err := os.Open(stamp); err == nil {
		_ = f.Close() // opening it is what counts
	}
}
