package change

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// watched is a watch whose looks a test waits for. It ends after a minute, in which the clock alone would
// give thirty looks.
type watched struct {
	*testing.T
	seen  chan struct{}
	ended chan error
	stop  context.CancelFunc
}

func start(t *testing.T, dir string) watched {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*Every)
	t.Cleanup(cancel)
	w := watched{t, make(chan struct{}), make(chan error, 1), cancel}
	go func() {
		w.ended <- Watch(ctx, dir, func(ctx context.Context) (bool, error) {
			select {
			case w.seen <- struct{}{}:
			case <-ctx.Done():
			}
			return false, nil
		})
	}()
	return w
}

// look waits for the next look.
func (w watched) look() {
	w.Helper()
	select {
	case <-w.seen:
	case err := <-w.ended:
		w.Fatalf("nobody looks any more: %v", err)
	}
}

// TestANoticeComesBeforeTheNextTick: changes of the directory are looked at at once, more of them than the
// clock could give.
func TestANoticeComesBeforeTheNextTick(t *testing.T) {
	dir := t.TempDir()
	w := start(t, dir)
	w.look()
	for i := range byte(100) {
		if err := os.WriteFile(filepath.Join(dir, "head.json"), []byte{i}, 0o600); err != nil {
			t.Fatal(err)
		}
		w.look()
	}
	w.stop()
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// TestADirectoryThatIsNotThereYet is looked at by the clock, and by notices once it is there.
func TestADirectoryThatIsNotThereYet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	w := start(t, dir)
	w.look()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.look() // by the clock
	for i := range byte(100) {
		if err := os.WriteFile(filepath.Join(dir, "head.json"), []byte{i}, 0o600); err != nil {
			t.Fatal(err)
		}
		w.look()
	}
}

// TestTheEndOfALook is the end of the watch.
func TestTheEndOfALook(t *testing.T) {
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		err := Watch(context.Background(), t.TempDir(), func(context.Context) (bool, error) { return want == nil, want })
		if !errors.Is(err, want) {
			t.Errorf("a look that ends with %v ends the watch with %v", want, err)
		}
	}
}
