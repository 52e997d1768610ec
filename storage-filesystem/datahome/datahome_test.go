package datahome

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/protocol"
)

func TestLocate(t *testing.T) {
	top := t.TempDir() // absolute on this platform
	data := filepath.Join(top, "data")
	for _, c := range []struct {
		name string
		goos string // "": every one; "xdg": neither macOS nor Windows
		env  map[string]string
		want string
		err  string // part of the message
	}{
		{"explicit", "", map[string]string{Variable: data, "HOME": top, "LOCALAPPDATA": top}, data, ""},
		{"explicit is cleaned", "", map[string]string{Variable: data + "/./x/.."}, data, ""},
		{"explicit and relative", "", map[string]string{Variable: "data", "HOME": top, "LOCALAPPDATA": top}, "", `ACC_DATA_HOME is not an absolute path: "data"`},
		{"nothing is set", "", nil, "", "neither ACC_DATA_HOME nor"},
		{"home", "xdg", map[string]string{"HOME": top}, filepath.Join(top, ".local", "share"), ""},
		{"home is relative", "xdg", map[string]string{"HOME": "me"}, "", "HOME is not an absolute path"},
		{"xdg", "xdg", map[string]string{"HOME": top, "XDG_DATA_HOME": data}, data, ""},
		{"xdg alone", "xdg", map[string]string{"XDG_DATA_HOME": data}, data, ""},
		{"xdg is relative", "xdg", map[string]string{"HOME": top, "XDG_DATA_HOME": "data"}, filepath.Join(top, ".local", "share"), ""},
		{"macos", "darwin", map[string]string{"HOME": top, "XDG_DATA_HOME": data}, filepath.Join(top, "Library", "Application Support"), ""},
		{"windows", "windows", map[string]string{"LOCALAPPDATA": data, "APPDATA": top, "HOME": top}, data, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			xdg := runtime.GOOS != "darwin" && runtime.GOOS != "windows"
			if c.goos != "" && c.goos != runtime.GOOS && !(c.goos == "xdg" && xdg) {
				t.Skip("another platform")
			}
			got, err := Locate(func(name string) string { return c.env[name] })
			if c.err != "" {
				var e *protocol.Error
				if !errors.As(err, &e) || e.Code != protocol.Usage || !strings.Contains(e.Message, c.err) {
					t.Fatalf("error %v, want a usage error with %q", err, c.err)
				}
				return
			}
			if err != nil || got.Root != c.want {
				t.Errorf("%q, %v, want %q", got.Root, err, c.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	home := Home{Root: filepath.FromSlash("/data")}
	for got, want := range map[string]string{
		home.Workspace("w"):     "/data/acc/workspaces/w",
		home.Workspaces():       "/data/acc/workspaces",
		home.Runtime():          "/data/acc/runtime",
		home.NativeWorkspaces(): "/data/acc/native-workspaces",
	} {
		if got != filepath.FromSlash(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
