package fsstore_test

import (
	"os"
	"testing"

	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
)

// TestStoreMadeAgain deletes a store under a process that goes on, and lets another make it again, or not: file systems
// give the new directory the number of the old one.
func TestStoreMadeAgain(t *testing.T) {
	for name, others := range map[string]int{"shared by another": 3, "empty": 0, "solo": 1} {
		t.Run(name, func(t *testing.T) {
			opts := options(t)
			opts.Clock = nil
			s, err := fsstore.Open(t.Context(), opts)
			must(t, err)
			mustSet(t, s, 1)
			must(t, os.RemoveAll(opts.Dir))
			must(t, os.Mkdir(opts.Dir, 0o700))
			other, err := fsstore.Open(t.Context(), opts)
			must(t, err)
			if others == 1 {
				_, err := other.Update(t.Context(), setSolo(1))
				must(t, err)
			}
			for n := range others * (others - 1) {
				mustSet(t, other, n)
			}
			mustSet(t, s, 7)
			mustRead(t, s, 7)
			again, err := fsstore.Open(t.Context(), opts)
			must(t, err)
			mustRead(t, again, 7)
		})
	}
}
