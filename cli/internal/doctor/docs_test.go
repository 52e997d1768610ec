package doctor

import (
	"os"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// TestTroubleshootingKnowsEveryReason: doctor sends people to the page for what it cannot mend.
func TestTroubleshootingKnowsEveryReason(t *testing.T) {
	page, err := os.ReadFile("../../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []adapter.NativeReason{
		adapter.NativeUnsupported, adapter.NativeVersionUnknown, adapter.NativeBelowMinimum, adapter.NativeKnownBad, adapter.NativeProtocolMismatch,
		adapter.NativeEndpointUnavailable, adapter.NativeSessionUnavailable, adapter.NativeHandshakeFailed, adapter.NativeHandshakeTimeout,
		adapter.NativeGenerationStale, adapter.NativeProcessUnknown, adapter.NativeSessionEmbedded, adapter.NativePermissionDenied,
	} {
		if !strings.Contains(string(page), "`"+string(reason)+"`") {
			t.Errorf("docs/troubleshooting.md does not explain %s", reason)
		}
	}
}
