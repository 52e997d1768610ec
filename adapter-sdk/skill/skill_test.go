package skill_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/skill"
)

func TestText(t *testing.T) {
	m := adapter.Machine{GOOS: "darwin", Bin: "/Users/u/Library/Application Support/acc/runtime/bin", Version: "0.3.1"}
	data, err := skill.Text(m)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if strings.Contains(text, "{{") {
		t.Errorf("a placeholder is left: %s", text[strings.Index(text, "{{"):][:20])
	}
	if !strings.Contains(text, "'/Users/u/Library/Application Support/acc/runtime/bin/acc' status OWNER") {
		t.Error("the command is not the quoted absolute path")
	}
	if !strings.Contains(text, "acc-version: 0.3.1") {
		t.Error("the version is missing")
	}
	if !strings.HasPrefix(text, "---\nname: acc\ndescription: ") || skill.Description() == "" || strings.Contains(skill.Description(), "\n") {
		t.Error("the front matter is not as clients read it")
	}
	// Clients cut or refuse longer descriptions (1024 characters in the open format).
	if n := len(skill.Description()); n > 1000 {
		t.Errorf("the description has %d bytes", n)
	}
	if strings.Contains(skill.Description(), ": ") {
		t.Error("the description is no plain YAML scalar")
	}
}

// TestEveryCommandCarriesTheOwner: a model copies lines, so each that acts must show where its
// credentials go.
func TestEveryCommandCarriesTheOwner(t *testing.T) {
	data, err := skill.Text(adapter.Machine{GOOS: "linux", Bin: "/d/bin", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^ {4,6}\S.*`).FindAllString(string(data), -1)
	if len(lines) < 12 {
		t.Fatalf("only %d example lines", len(lines))
	}
	for _, line := range lines {
		if !strings.Contains(line, "/d/bin/acc ") || !strings.HasSuffix(line, " OWNER") {
			t.Errorf("example %q", line)
		}
	}
}

// TestSections: what only one client can do stands at the end, above the version.
func TestSections(t *testing.T) {
	m := adapter.Machine{GOOS: "linux", Bin: "/d/bin", Version: "1"}
	plain, err := skill.Text(m)
	if err != nil {
		t.Fatal(err)
	}
	more, err := skill.Text(m, "## Ringing\n\n    {{ACC}} ring OWNER\n")
	if err != nil {
		t.Fatal(err)
	}
	const section = "\n## Ringing\n\n    /d/bin/acc ring OWNER\n"
	if got := strings.Replace(string(more), section, "", 1); got != string(plain) || got == string(more) {
		t.Errorf("the skill is\n%s", more)
	}
	if !strings.Contains(string(more), section+"\n<!-- acc-version: 1") {
		t.Error("the section does not stand at the end")
	}
}

func TestAPathThatNoShellTakes(t *testing.T) {
	if _, err := skill.Text(adapter.Machine{GOOS: "linux", Bin: "/d\n/bin", Version: "1"}); err == nil {
		t.Error("a line end in the path is accepted")
	}
	if _, err := skill.Text(adapter.Machine{GOOS: "windows", Bin: `C:\50%\bin`, Version: "1"}); err == nil {
		t.Error("a percent sign in a Windows path is accepted")
	}
}
