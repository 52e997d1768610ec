package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// documentedReasons gives the closed set that docs/protocol.md lists.
func documentedReasons(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- table: reasons -->")
	table, _, _ = strings.Cut(table, "<!-- end of table: reasons -->")
	reasons := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| Reason\\w+ \\| `([a-z_]+)` \\|").FindAllStringSubmatch(table, -1) {
		reasons[row[1]] = true
	}
	if len(reasons) < 25 {
		t.Fatalf("the page lists %d reasons", len(reasons))
	}
	return reasons
}

// TestWrongCallsHaveAReason calls commands wrongly in every way that a caller has: each is told why with an
// exit code of the closed list and a reason of the documented set, for programs as for people.
func TestWrongCallsHaveAReason(t *testing.T) {
	reasons := documentedReasons(t)
	data, dir := filepath.Join(t.TempDir(), "data"), t.TempDir()
	run := func(args ...string) (protocol.Code, string) {
		var stdout, stderr bytes.Buffer
		env := func(name string) string { return map[string]string{"ACC_DATA_HOME": data}[name] }
		host := command.Host{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Enter: room.Enter}
		code := command.Main(t.Context(), host, append(args, "--json", "--cwd", dir))
		return code, strings.TrimSpace(stdout.String())
	}
	attach := func(name string) []string {
		_, out := run("attach", "--participant", name)
		s, err := view.Attached.Decode([]byte(out))
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return []string{"--session", s.SessionID, "--generation", s.Generation}
	}
	ada, gone := attach("ada"), attach("bob")
	run(append([]string{"detach"}, gone...)...)
	long := strings.Repeat("x", protocol.MaxBody+1)
	usage, conflict, malformed := protocol.Usage, protocol.Conflict, protocol.Data
	for _, c := range []struct {
		owner []string
		code  protocol.Code
		call  string // words are separated by "|", because some hold spaces
	}{
		{nil, usage, "nosuch"}, {nil, usage, "status|--nope"}, {nil, usage, "config"}, {nil, usage, "help|nosuch"},
		{nil, usage, "status|--session|x"}, {nil, conflict, "status|--session|x|--generation|y"}, {gone, conflict, "status"}, {gone, conflict, "sync"},
		{nil, usage, "status|--workspace|acc://zz"}, {nil, malformed, "status|--workspace|/nowhere"},
		{nil, usage, "sync|--cursor|1"}, {nil, usage, "sync|--cursor|9999999999999999"}, {nil, usage, "sync|--limit|0"}, {nil, usage, "sync|--limit|501"},
		{nil, usage, "sync|--scope|all"}, {nil, usage, "sync|--type|note"}, {nil, usage, "sync|--scope|history|--current"},
		{nil, malformed, "sync|--scope|history|--message|none"}, {nil, usage, "sync|--scope|history|--cursor|none"},
		{nil, usage, "inbox"}, {gone, conflict, "inbox"}, {ada, usage, "inbox|--cursor|none"}, {ada, malformed, "inbox|--message|none"},
		{ada, usage, "inbox|--message|x|--cursor|y"}, {ada, usage, "inbox|--wait|0"}, {ada, protocol.Timeout, "inbox|--wait|1ms"},
		{ada, usage, "message|--subject|s"}, {ada, usage, "message|--subject|s|--body|b|--body-file|f"}, {ada, malformed, "message|--subject|s|--body-file|none"},
		{ada, malformed, "message|--subject|s|--body|b|--to|nobody"}, {ada, usage, "message|--subject|s|--body|b|--to|bob|--to|bob"},
		{ada, usage, "message|--subject|s|--body|b|--type|question"}, {ada, usage, "message|--subject|s|--body|b|--type|answer"},
		{ada, usage, "message|--subject|s|--body|b|--obligation|reply"}, {ada, usage, "message|--subject|s|--body|b|--supersedes|x|--withdraws|y"},
		{ada, malformed, "message|--subject|s|--body|b|--supersedes|none"}, {ada, usage, "message|--subject|s|--body|b|--type|note|--supersedes|x"},
		{ada, malformed, "message|--subject| |--body|b"}, {ada, malformed, "message|--subject|a\nb|--body|b"}, {ada, malformed, "message|--subject|s|--body|\x01"},
		{ada, malformed, "message|--subject|s|--body|" + long}, {ada, malformed, "message|--subject|s|--body|b|--client-message-id|a b"},
		{ada, malformed, "message|--subject|\xff|--body|b"}, {ada, usage, "request|--to|bob"}, {ada, malformed, "request|--to|bob|--title|a\tb"},
		{ada, malformed, "reply|--message|none|--body|b"}, {ada, usage, "ack"}, {ada, malformed, "ack|--message|none"}, {ada, usage, "ack|--message|x|--all"},
		{ada, usage, "work"}, {ada, usage, "work|--clear|--summary|s"}, {ada, malformed, "work|--summary|" + long[:281]}, {ada, usage, "work|--summary|s|--hint|*.go"},
		{ada, usage, "claim"}, {ada, usage, "claim|--resource| "}, {ada, usage, "claim|--resource|a/"}, {ada, usage, "claim|--resource|FILE:a"}, {ada, usage, "claim|--resource|c:a"},
		{ada, usage, "claim|--resource|a|--lease|0"}, {ada, usage, "claim|--resource|a|--lease|400h"}, {ada, malformed, "claim|--resource|a|--reason|a\nb"}, {ada, malformed, "claim|--claim|none"},
		{ada, usage, "release"}, {ada, malformed, "release|--claim|none"}, {ada, malformed, "release|--resource|none"}, {ada, usage, "release|--claim|x|--authority|human"},
		{ada, usage, "finish"}, {ada, malformed, "finish|--goal| "}, {ada, malformed, "finish|--goal|g|--to|nobody"}, {ada, usage, "finish|--goal|g|--status|done"}, {gone, conflict, "finish|--goal|g"},
		{nil, usage, "attach"}, {nil, malformed, "attach|--participant|a b"}, {nil, malformed, "attach|--participant|nul"}, {nil, malformed, "attach|--participant|x|--parent|none"},
		{nil, malformed, "config|validate"}, {nil, conflict, "config|init|--yes"}, {nil, malformed, "receipts|none"}, {nil, malformed, "thread|none"},
	} {
		args := strings.Split(c.call, "|")
		code, out := run(append(args, c.owner...)...)
		if len(c.call) > 80 {
			c.call = c.call[:80] + "..."
		}
		failure, err := view.DecodeError([]byte(out))
		if err != nil || code != c.code || failure.Code != int(code) {
			t.Errorf("%q: exit %d, want %d, %v: %.300s", c.call, code, c.code, err, out)
			continue
		}
		if !reasons[failure.Reason] {
			t.Errorf("%q: the reason %q is not documented: %s", c.call, failure.Reason, failure.Message)
		}
		if failure.Message == "" || strings.HasSuffix(failure.Message, ".") || strings.ToLower(failure.Message[:1]) != failure.Message[:1] {
			t.Errorf("%q: the message is %q", c.call, failure.Message)
		}
	}
}
