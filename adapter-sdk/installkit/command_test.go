package installkit_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
)

func TestCommandsAndMarks(t *testing.T) {
	for _, tt := range []struct{ goos, bin, hook, cli string }{
		{"linux", "/home/u/.local/share/acc/runtime/bin", "/home/u/.local/share/acc/runtime/bin/acc-hook id", "/home/u/.local/share/acc/runtime/bin/acc"},
		{"darwin", "/Users/u/Library/Application Support/acc/runtime/bin", "'/Users/u/Library/Application Support/acc/runtime/bin/acc-hook' id", "'/Users/u/Library/Application Support/acc/runtime/bin/acc'"},
		{"linux", "/home/o'neil/bin", `'/home/o'\''neil/bin/acc-hook' id`, `'/home/o'\''neil/bin/acc'`},
		{"linux", "/home/$HOME/`x`/bin", "'/home/$HOME/`x`/bin/acc-hook' id", "'/home/$HOME/`x`/bin/acc'"},
		{"windows", `C:\Users\u\AppData\Local\acc\runtime\bin`, "C:/Users/u/AppData/Local/acc/runtime/bin/acc-hook.exe id", "C:/Users/u/AppData/Local/acc/runtime/bin/acc.exe"},
		{"windows", `C:\Users\A B\bin`, `"C:/Users/A B/bin/acc-hook.exe" id`, `"C:/Users/A B/bin/acc.exe"`},
	} {
		m := adapter.Machine{GOOS: tt.goos, Bin: tt.bin}
		hook, err := installkit.HookCommand(m, "id", "")
		if err != nil || hook != tt.hook {
			t.Errorf("hook of %s: %s, %v", tt.bin, hook, err)
		}
		cli, err := installkit.CLICommand(m)
		if err != nil || cli != tt.cli {
			t.Errorf("command of %s: %s, %v", tt.bin, cli, err)
		}
		mark, err := installkit.Mark(m)
		if err != nil || !strings.Contains(hook, mark) || !strings.Contains(cli, mark) {
			t.Errorf("mark of %s: %s, %v", tt.bin, mark, err)
		}
		if event, _ := installkit.HookCommand(m, "id", "Stop"); event != tt.hook+" Stop" {
			t.Errorf("with an event: %s", event)
		}
	}
	for _, m := range []adapter.Machine{{GOOS: "linux", Bin: "/a\nb"}, {GOOS: "windows", Bin: `C:\50%\x`}, {GOOS: "windows", Bin: `C:\a"b`}} {
		if s, err := installkit.CLICommand(m); err == nil {
			t.Errorf("%q became %s", m.Bin, s)
		}
	}
}

// TestTheShellTakesTheWord runs a real shell on the quoted word.
func TestTheShellTakesTheWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no POSIX shell to ask: ", err)
	}
	for _, bin := range []string{"/plain/bin", "/with blank/bin", "/o'neil/bin", "/$x/`y`/\\z/*/bin", "/ü/\"/bin"} {
		m := adapter.Machine{GOOS: "linux", Bin: bin}
		word, err := installkit.CLICommand(m)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(sh, "-c", "printf %s "+word).Output()
		if err != nil || string(out) != installkit.CLIPath(m) {
			t.Errorf("%s is %q to the shell (%v)", word, out, err)
		}
	}
}
