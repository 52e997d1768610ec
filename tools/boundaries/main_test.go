package boundaries

import (
	"os"
	"testing"

	"github.com/acc-control-plane/acc/tools/worktree"
)

func TestMain(m *testing.M) {
	worktree.Uncached()
	os.Exit(m.Run())
}
