package mcpserver

import (
	"testing"
	"time"

	"github.com/acc-control-plane/acc/mcp-server/internal/lines"
)

// TestTheServerFollowsInTime: whichever way the client ends, the longest that anything waits for leaves two
// seconds of the five for a busy machine.
func TestTheServerFollowsInTime(t *testing.T) {
	const promise = 5 * time.Second
	if killed := watchEvery + grace; killed > promise-2*time.Second {
		t.Errorf("after its client was killed a server may live %v", killed)
	}
	if hungUp := lines.Drain + grace; hungUp > promise-time.Second {
		t.Errorf("after the end of its input a server may live %v", hungUp)
	}
}
