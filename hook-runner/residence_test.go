package hookrunner

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

// house is an installation that says what it was asked.
type house struct {
	closed error
	asked  []string
}

func (h *house) Admit(adapterID, sessionID string, begins bool, payload []byte) error {
	word := "goes on"
	if begins {
		word = "begins"
	}
	h.asked = append(h.asked, adapterID+" "+sessionID+" "+word+" "+string(payload))
	return h.closed
}
func (h *house) Began(string, string, process.Identity) { h.asked = append(h.asked, "began") }
func (h *house) Ended(_, sessionID string)              { h.asked = append(h.asked, "ended "+sessionID) }

// TestResidence: the installation is asked once, before anything of a room, and what it says is said to nobody but
// by a line of the list.
func TestResidence(t *testing.T) {
	for _, tt := range []struct {
		name   string
		closed error
		want   string
	}{
		{"open", nil, ""},
		{"being updated", protocol.DataError(protocol.ReasonActivating, "/secret/path"), updating},
		{"being changed", protocol.DataError(protocol.ReasonAdmissionBusy, "/secret/path"), occupied},
		{"damaged", os.ErrPermission, uninhabitable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			h := &house{closed: tt.closed}
			run := func(kind adapter.EventKind) (code int, stdout, stderr string) {
				t.Helper()
				a, err := adapter.New("vendor", "Vendor", says(w.event(kind)))
				if err != nil {
					t.Fatal(err)
				}
				var out, errs bytes.Buffer
				code = Run(Process{Args: []string{"vendor"}, Stdin: strings.NewReader("{}"), Stdout: &out, Stderr: &errs, Env: w.env, Started: time.Now(), Residence: h}, a)
				return code, out.String(), errs.String()
			}
			code, stdout, stderr := run(adapter.SessionStart)
			if tt.closed != nil {
				if code != 0 || stdout != "" || stderr != "acc-hook: "+tt.want+"\n" {
					t.Errorf("%d %q %q", code, stdout, stderr)
				}
				if _, err := os.Lstat(w.home); !os.IsNotExist(err) {
					t.Errorf("the data home was touched: %v", err)
				}
				return
			}
			if code != 0 || stdout == "" || stderr != "" {
				t.Errorf("%d %q %q", code, stdout, stderr)
			}
			run(adapter.SessionEnd)
			want := []string{"vendor native begins {}", "vendor native goes on {}", "ended native"}
			if !slices.Equal(want, h.asked) {
				t.Errorf("%q, want %q", h.asked, want)
			}
		})
	}
}
