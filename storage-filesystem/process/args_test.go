package process

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// procArgs is what the kernel of macOS answers.
func procArgs(count int32, exe string, padding int, rest ...string) []byte {
	raw := binary.NativeEndian.AppendUint32(nil, uint32(count))
	raw = append(raw, exe...)
	raw = append(raw, make([]byte, 1+padding)...)
	for _, s := range rest {
		raw = append(append(raw, s...), 0)
	}
	return raw
}

func TestParseArgs(t *testing.T) {
	for name, tt := range map[string]struct {
		raw  []byte
		exe  string
		args []string
	}{
		"arguments and environment":      {procArgs(2, "/bin/node", 6, "node", "cli.js", "HOME=/Users/me"), "/bin/node", []string{"node", "cli.js"}},
		"more promised than there is":    {procArgs(9, "/bin/node", 0, "node"), "/bin/node", nil},
		"a negative count":               {procArgs(-1, "/bin/node", 0, "node"), "/bin/node", nil},
		"nothing behind the executable":  {procArgs(0, "/bin/node", 0), "/bin/node", nil},
		"an executable without an end":   {procArgs(1, "/bin/node", 0)[:9], "", nil},
		"less than a count":              {[]byte{1, 0}, "", nil},
		"nothing":                        {nil, "", nil},
		"no arguments, only environment": {procArgs(0, "/bin/node", 2, "HOME=/Users/me"), "/bin/node", nil},
	} {
		exe, args := parseArgs(tt.raw)
		if exe != tt.exe || !slices.Equal(args, tt.args) {
			t.Errorf("%s: %q %q, want %q %q", name, exe, args, tt.exe, tt.args)
		}
	}
}

// FuzzParseArgs: whatever a process has written over its arguments, what is read comes out of those bytes, and is no more
// than the kernel counted.
func FuzzParseArgs(f *testing.F) {
	f.Add(procArgs(2, "/bin/node", 6, "node", "cli.js", "HOME=/Users/me"))
	f.Add(procArgs(-1, "", 0))
	f.Fuzz(func(t *testing.T, raw []byte) {
		exe, args := parseArgs(raw)
		if len(raw) >= 4 && len(args) > max(0, int(int32(binary.NativeEndian.Uint32(raw)))) {
			t.Fatalf("%d arguments", len(args))
		}
		for _, s := range append(args, exe) {
			if strings.Contains(s, "\x00") || !strings.Contains(string(raw), s) {
				t.Fatalf("%q was never there", s)
			}
		}
	})
}
