package adaptertest

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
)

// Fuzz throws payloads at an adapter, beginning with the captures in dir: whatever comes is refused, or is a
// call that acc can act on, and means the same the second time. args are the events that the command line
// may name; without any it names none. A vendor calls it from a fuzz target.
func Fuzz(f *testing.F, a *adapter.Adapter, dir string, args ...string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("%s: no captures, %v", dir, err)
	}
	if len(args) == 0 {
		args = []string{""}
	}
	for i, file := range files {
		call, err := readCapture(file)
		if err != nil {
			f.Fatalf("%s: %v", file, err)
		}
		f.Add(call.Payload, uint8(i))
	}
	f.Fuzz(func(t *testing.T, payload []byte, arg uint8) {
		call := adapter.Call{Event: args[int(arg)%len(args)], Payload: payload}
		e, err := a.Normalize(call)
		if again, againErr := a.Normalize(call); !reflect.DeepEqual(e, again) || (err == nil) != (againErr == nil) {
			t.Errorf("%q became %+v, %v, and then %+v, %v", payload, e, err, again, againErr)
		}
		if err != nil {
			return
		}
		if e.SessionID == "" || !slices.Contains(adapter.EventKinds[:], e.Kind) || slices.Contains(e.Targets, "") {
			t.Errorf("%q became %+v", payload, e)
		}
		for _, word := range append(words(e), e.SessionID) {
			if strings.ContainsAny(word, "\n\r\x00\x1b\u2028") {
				t.Errorf("%q became %+v", payload, e)
			}
		}
	})
}
