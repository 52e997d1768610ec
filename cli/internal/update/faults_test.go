package update

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// TestFaultyTransfers lets the way from the registry do what it can to a package. Each leaves the old version active and
// nothing of the package behind, and says why.
func TestFaultyTransfers(t *testing.T) {
	w := newWorld(t)
	good := packed(t, w.publish(t, "1.1.0", nil).entries(w.key))
	elsewhere := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/good") {
			_, _ = out.Write(good)
			return
		}
		_, _ = out.Write([]byte("something else"))
	}))
	defer elsewhere.Close()
	length := func(out http.ResponseWriter, n int) { out.Header().Set("Content-Length", strconv.Itoa(n)) }
	for _, c := range []struct {
		name   string
		reason protocol.Reason // "": it is taken
		code   protocol.Code
		answer http.HandlerFunc
	}{
		{"an error", ReasonRegistryUnreachable, protocol.Data, func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusInternalServerError) }},
		{"nothing there", ReasonReleaseUnknown, protocol.Data, http.NotFound},
		{"cut short", ReasonRegistryUnreachable, protocol.Data, func(out http.ResponseWriter, _ *http.Request) {
			length(out, len(good))
			_, _ = out.Write(good[:len(good)/2])
		}},
		{"cut short and declared so", ReasonIntegrity, protocol.Data, func(out http.ResponseWriter, _ *http.Request) {
			length(out, len(good)-1)
			_, _ = out.Write(good[:len(good)-1])
		}},
		{"more than that", ReasonIntegrity, protocol.Data, func(out http.ResponseWriter, _ *http.Request) {
			_, _ = out.Write(append(good[:len(good):len(good)], 0))
		}},
		{"nothing", ReasonIntegrity, protocol.Data, func(http.ResponseWriter, *http.Request) {}},
		{"too large", ReasonRegistryAnswer, protocol.Data, func(out http.ResponseWriter, _ *http.Request) { _, _ = io.CopyN(out, zeros{}, maxArchive+2) }},
		{"byte by byte", ReasonRegistryUnreachable, protocol.Timeout, func(out http.ResponseWriter, q *http.Request) { trickle(out, q, good) }},
		{"nothing for long", ReasonRegistryUnreachable, protocol.Timeout, func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }},
		{"led elsewhere, to something else", ReasonIntegrity, protocol.Data, func(out http.ResponseWriter, q *http.Request) {
			http.Redirect(out, q, elsewhere.URL+"/other", http.StatusFound)
		}},
		{"led to a password", ReasonRegistryUnreachable, protocol.Data, func(out http.ResponseWriter, q *http.Request) {
			http.Redirect(out, q, strings.Replace(elsewhere.URL, "://", "://a:b@", 1)+"/good", http.StatusFound)
		}},
		{"led elsewhere", "", protocol.OK, func(out http.ResponseWriter, q *http.Request) {
			http.Redirect(out, q, elsewhere.URL+"/good", http.StatusTemporaryRedirect)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.registry.tarball = c.answer
			ctx, cancel := context.WithTimeout(t.Context(), map[bool]time.Duration{true: time.Second / 2, false: time.Minute}[c.code == protocol.Timeout])
			defer cancel()
			_, err := w.Update(ctx, true)
			if protocol.ReasonOf(err) != c.reason || protocol.CodeOf(err) != c.code {
				t.Errorf("%v (%s, %d)", err, protocol.ReasonOf(err), protocol.CodeOf(err))
			}
			if c.reason == "" {
				if got := w.active(t); got != "1.1.0" {
					t.Errorf("%s is active", got)
				}
				return
			}
			if s, _ := w.Manager.Settings(); s.Notice == "" {
				t.Error("nobody is told")
			}
			w.stays(t)
		})
	}
}

// TestTrickledDocument: a registry that answers byte by byte is not waited for longer than one that does not answer.
func TestTrickledDocument(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		trickle(out, q, []byte(strings.Repeat(" ", 1<<20)))
	}))
	defer server.Close()
	source, err := w.Source()
	if err != nil {
		t.Fatal(err)
	}
	source.Registry.Host = server.Listener.Addr().String()
	_, err = w.Look(t.Context())
	if protocol.ReasonOf(err) != ReasonRegistryUnreachable || protocol.CodeOf(err) != protocol.Timeout || t.Context().Err() != nil {
		t.Errorf("%v", err)
	}
	w.stays(t)
}

// trickle answers byte by byte until nobody listens any more.
func trickle(out http.ResponseWriter, q *http.Request, data []byte) {
	for i := range data {
		_, _ = out.Write(data[i : i+1])
		_ = http.NewResponseController(out).Flush()
		select {
		case <-q.Context().Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
