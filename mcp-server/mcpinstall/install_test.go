package mcpinstall

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/adaptertest/installtest"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/protocol"
)

func installer(t *testing.T, id string) *installkit.Installer {
	t.Helper()
	k, err := New(id)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// where is the file of each client below the home.
var where = map[string]string{
	"claude_code": ".claude.json", "codex": ".codex/config.toml", "gemini_cli": ".gemini/settings.json", "kimi": ".kimi-code/mcp.json", "grok": ".grok/config.toml",
}

const (
	jsonFile = "{\n  \"mine\": 1,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n"
	tomlFile = "# mine\nmodel = \"m\"\n\n[mcp_servers.other]\ncommand = \"x\" # keep\n\n[tail]\na = 1\n"
)

// homes are files as users have them, and texts that the client's reader refuses.
func homes(file string) (good, bad map[string]string) {
	if strings.HasSuffix(file, ".toml") {
		return map[string]string{"with a server": tomlFile, "empty": "", "no final line end": "a = 1", "Windows's lines": "a = 1\r\n\r\n[b]\r\n"},
			map[string]string{"cut off": "a = [", "a value": "mcp_servers = 1\n", "a list": "mcp_servers = []\n"}
	}
	return map[string]string{"with a server": jsonFile, "empty": "", "no servers": "{}", "in one line": "{\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"z\":[1]}"},
		map[string]string{"cut off": "{\"a\":", "a list": "{\"mcpServers\": []}\n", "twice": "{\"mcpServers\": {}, \"mcpServers\": {}}\n"}
}

// TestTakesBackWhatItDid installs, installs again, brings up to date and uninstalls, to the byte.
func TestTakesBackWhatItDid(t *testing.T) {
	for _, id := range Clients() {
		good, _ := homes(where[id])
		for name, text := range good {
			t.Run(id+"/"+name, func(t *testing.T) {
				h := installtest.New(t, installer(t, id), map[string]string{where[id]: text})
				before := h.Tree()
				if plan := h.Install(); len(plan.Changes) != 1 || plan.Changes[0].Path != h.Path(where[id]) || len(plan.Steps) == 0 {
					t.Errorf("the plan is %+v", plan)
				}
				if again := h.Install(); len(again.Changes) != 0 {
					t.Errorf("installing again changes %+v", again.Changes)
				}
				h.Machine.Version = "0.2.0"
				h.Install()
				if d := h.Doctor(); !d.Installed || len(d.Problems) > 0 || len(d.Hooks) != 1 || d.Hooks[0].Event != Registered || d.Hooks[0].State != adapter.Written {
					t.Errorf("doctor says of a good installation: %+v", d)
				}
				if removal := h.Remove(); len(removal.Kept) != 0 {
					t.Errorf("uninstalling keeps %+v", removal.Kept)
				}
				h.Same("uninstalling", before)
			})
		}
	}
}

// TestAnotherDataHomeIsLeftAlone: a registration that points elsewhere is a conflict, not a value to
// replace.
func TestAnotherDataHomeIsLeftAlone(t *testing.T) {
	for _, id := range Clients() {
		h := installtest.New(t, installer(t, id), map[string]string{where[id]: ""})
		h.Install()
		installed := h.Tree()
		other := h.Machine
		other.Data = filepath.Join(h.Dir, "second", "acc")
		other.Bin = filepath.Join(other.Data, "runtime", "bin")
		if _, err := installer(t, id).Plan(context.Background(), other); protocol.CodeOf(err) != protocol.Conflict {
			t.Errorf("%s: a second data home may install: %v", id, err)
		}
		h.Same("planning for a second data home", installed)
	}
}

// TestRefusesWhatItCannotEdit: a file that the client itself could not read, or that is a link, is left as
// it is and named.
func TestRefusesWhatItCannotEdit(t *testing.T) {
	for _, id := range Clients() {
		_, bad := homes(where[id])
		for name, text := range bad {
			h := installtest.New(t, installer(t, id), map[string]string{where[id]: text})
			before := h.Tree()
			_, err := installer(t, id).Plan(context.Background(), h.Machine)
			if protocol.CodeOf(err) != protocol.Data || !strings.Contains(err.Error(), h.Path(where[id])) {
				t.Errorf("%s, %s: %v", id, name, err)
			}
			h.Same("refusing", before)
		}
		h := installtest.New(t, installer(t, id), map[string]string{"dotfiles/real": ""})
		if err := os.MkdirAll(filepath.Dir(h.Path(where[id])), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(h.Path("dotfiles/real"), h.Path(where[id])); err != nil {
			if runtime.GOOS == "windows" {
				t.Skip("links need a privilege there: ", err)
			}
			t.Fatal(err)
		}
		if _, err := installer(t, id).Plan(context.Background(), h.Machine); protocol.ReasonOf(err) != protocol.ReasonPathUnsafe {
			t.Errorf("%s, a link: %v", id, err)
		}
	}
}

// TestDoctorMissesARegistrationThatIsGone names it, and installing brings it back.
func TestDoctorMissesARegistrationThatIsGone(t *testing.T) {
	for _, id := range Clients() {
		good, _ := homes(where[id])
		h := installtest.New(t, installer(t, id), map[string]string{where[id]: good["with a server"]})
		h.Install()
		h.Write(where[id], good["with a server"])
		if d := h.Doctor(); len(d.Missing) != 1 || len(d.Problems) == 0 || d.Hooks[0].State != adapter.Unwritten {
			t.Errorf("%s: %+v", id, d)
		}
		h.Install()
		if d := h.Doctor(); len(d.Problems) != 0 {
			t.Errorf("%s was not brought back: %+v", id, d)
		}
	}
}

// TestWhatIsWritten is what the vendors' own commands write, as far as it matters to them.
func TestWhatIsWritten(t *testing.T) {
	for id, want := range map[string]string{
		"claude_code": "{\n  \"mine\": 1,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"},\n    \"acc\": {\n      \"type\": \"stdio\",\n      \"command\": \"BIN/acc-mcp\",\n      \"args\": [],\n      \"env\": {\n        \"ACC_MCP_PARTICIPANT\": \"claude-code-mcp\"\n      }\n    }\n  }\n}\n",
		"codex":       "# mine\nmodel = \"m\"\n\n[mcp_servers.other]\ncommand = \"x\" # keep\n\n[tail]\na = 1\n\n[mcp_servers]\nacc = { command = \"BIN/acc-mcp\", args = [] }\n",
		"kimi":        "{\n  \"mine\": 1,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"},\n    \"acc\": {\n      \"command\": \"BIN/acc-mcp\",\n      \"args\": [],\n      \"env\": {\n        \"ACC_MCP_PARTICIPANT\": \"kimi-mcp\"\n      }\n    }\n  }\n}\n",
	} {
		text := jsonFile
		if id == "codex" {
			text = tomlFile
		}
		h := installtest.New(t, installer(t, id), map[string]string{where[id]: text})
		h.Install()
		got := strings.ReplaceAll(h.Read(where[id]), h.Machine.Bin, "BIN")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestSnippet(t *testing.T) {
	h := installtest.New(t, installer(t, "kimi"), nil)
	got, err := Snippet(h.Machine)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"mcpServers\": {\n    \"acc\": {\n      \"command\": \"BIN/acc-mcp\",\n      \"args\": [],\n      \"env\": {\n        \"ACC_MCP_PARTICIPANT\": \"mcp\"\n      }\n    }\n  }\n}\n"
	if diff := cmp.Diff(want, strings.ReplaceAll(string(got), h.Machine.Bin, "BIN")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnUnknownClientIsNamedWithTheKnownOnes(t *testing.T) {
	_, err := New("emacs")
	if protocol.CodeOf(err) != protocol.Usage || !strings.Contains(err.Error(), "gemini_cli") {
		t.Errorf("error %v", err)
	}
}
