package demo

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestPayloadKeepsTheCaptureAndPutsStringsIn(t *testing.T) {
	got, err := payload("PreToolUse.Edit.json", map[jsontext.Pointer]string{"/session_id": "s", "/tool_input/file_path": `C:\x "y"`})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"session_id":"s"`, `"file_path":"C:\\x \"y\""`, `"old_string":"one"`, `"hook_event_name":"PreToolUse"`, `"cwd":"/home/user/project"`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}

func TestPayloadRefusesWhatTheClientWouldNotSend(t *testing.T) {
	for _, at := range []jsontext.Pointer{"/sesion_id", "/tool_input", "/tool_input/replace_all", "/hook_event_name/x"} {
		if got, err := payload("PreToolUse.Edit.json", map[jsontext.Pointer]string{at: "x"}); err == nil {
			t.Errorf("%s was replaced in %s", at, got)
		}
	}
}

func TestShellWords(t *testing.T) {
	for line, want := range map[string][]string{
		`--session s --cwd '/a b' --workspace 'acc://1'`: {"--session", "s", "--cwd", "/a b", "--workspace", "acc://1"},
		`'it'\''s' x`:      {"it's", "x"},
		`"a b"c  ''  d\ e`: {"a bc", "", "d e"},
		``:                 nil,
	} {
		got, ok := shellWords(line)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s: %v\n%s", line, ok, diff)
		}
	}
	for _, line := range []string{`'open`, `"open`, `end\`} {
		if got, ok := shellWords(line); ok {
			t.Errorf("%s gives %q", line, got)
		}
	}
}

func TestCleanedDropsWhatBelongsToTheCaller(t *testing.T) {
	got := cleaned([]string{"PATH=/bin", "ACC_SESSION=x", "GIT_DIR=/y", "CLAUDE_PID=1", "CLAUDECODE=1", "GROK_HOOK_EVENT=x", "AI_AGENT=x", "HOME=/h"})
	if diff := cmp.Diff([]string{"PATH=/bin", "HOME=/h"}, got); diff != "" {
		t.Error(diff)
	}
}
