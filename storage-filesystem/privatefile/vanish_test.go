package privatefile

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestWriteWhereDirectoriesVanish writes below directories that somebody else removes as soon as they are empty, as
// whoever is the last to leave a room does: a write makes them again, also one that has found them right before.
func TestWriteWhereDirectoriesVanish(t *testing.T) {
	base := t.TempDir()
	dirs := []string{filepath.Join(base, "acc", "room", "bindings"), filepath.Join(base, "acc", "room")}
	done := make(chan struct{})
	var leaving, coming sync.WaitGroup
	leaving.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			for _, dir := range dirs {
				_ = os.Remove(dir) // fails while something is in it
			}
		}
	})
	for who := range 4 {
		coming.Go(func() {
			tree := Below(base)
			path := filepath.Join(dirs[0], fmt.Sprint(who))
			for range 300 {
				for _, write := range []func(string, []byte) error{tree.Write, tree.WriteNew} {
					if err := write(path, []byte("x")); err != nil {
						t.Error(err)
						return
					}
					if got, err := tree.Read(path, 1); err != nil || string(got) != "x" {
						t.Errorf("what was written is not there: %q, %v", got, err)
						return
					}
					if err := tree.Remove(path); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	coming.Wait()
	close(done)
	leaving.Wait()
}
