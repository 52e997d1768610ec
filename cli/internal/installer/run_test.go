package installer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/protocol"
)

// play names the part that this test binary plays instead of running tests: a client's command.
const play = "ACC_TEST_PLAY"

func TestMain(m *testing.M) {
	switch os.Getenv(play) {
	case "":
		os.Exit(m.Run())
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		fmt.Fprintln(os.Stderr, "to stderr")
	case "fail":
		fmt.Fprintln(os.Stderr, "bad configuration\nand more")
		os.Exit(3)
	case "server": // answers, and ends with its input
		fmt.Println(`{"id":1,"result":{}}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Println("ended with its input")
	case "stubborn": // answers, and does not end
		fmt.Println(`{"id":1,"result":{}}`)
		time.Sleep(time.Hour)
	case "silent":
		time.Sleep(time.Hour)
	case "env":
		fmt.Printf("HOME=%s\n", os.Getenv(homeVariable()))
		for _, name := range []string{"CLAUDE_CONFIG_DIR", "ACC_GENERATION", "MORE"} {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	}
	os.Exit(0)
}

func ask(t *testing.T, ctx context.Context, u User, part string, c adapter.ClientCommand) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.Path = self
	c.Env = append(c.Env, play+"="+part)
	out, err := (runner{u}).run(ctx, c)
	return string(out), err
}

func user(t *testing.T) User {
	t.Helper()
	return User{Home: t.TempDir(), Env: os.Getenv}
}

func TestRun(t *testing.T) {
	u := user(t)
	for _, tt := range []struct {
		part, want string
		command    adapter.ClientCommand
	}{
		{"echo", "hello", adapter.ClientCommand{Input: []byte("hello")}},
		{"echo", "", adapter.ClientCommand{}},
		{"echo", "helloto stderr\n", adapter.ClientCommand{Input: []byte("hello"), Stderr: true}},
		{"server", "{\"id\":1,\"result\":{}}\nended with its input\n", adapter.ClientCommand{Input: []byte("x"), Until: `"id":1,`}},
		{"stubborn", "{\"id\":1,\"result\":{}}\n", adapter.ClientCommand{Until: `"id":1,`}},
	} {
		if got, err := ask(t, t.Context(), u, tt.part, tt.command); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.part, got, err, tt.want)
		}
	}
}

func TestRunFails(t *testing.T) {
	_, err := ask(t, t.Context(), user(t), "fail", adapter.ClientCommand{Args: []string{"plugin", "list"}})
	if err == nil || !strings.HasSuffix(err.Error(), "plugin list: exit status 3: bad configuration") {
		t.Errorf("%v", err)
	}
	if _, err := (runner{user(t)}).run(t.Context(), adapter.ClientCommand{Path: "/nowhere/x"}); err == nil {
		t.Error("a command that is not there was started")
	}
}

func TestRunIsBounded(t *testing.T) {
	for _, until := range []string{"", "never"} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := ask(t, ctx, user(t), "silent", adapter.ClientCommand{Until: until})
		cancel()
		if err == nil || !strings.Contains(err.Error(), "did not answer within") {
			t.Errorf("until %q: %v", until, err)
		}
	}
}

// TestRunForAnotherUser: what moves a client's configuration in the environment of acc must not reach
// the client of somebody else, and the owner pair of a session reaches none.
func TestRunForAnotherUser(t *testing.T) {
	home := t.TempDir()
	t.Setenv(homeVariable(), "/mine")
	t.Setenv("CLAUDE_CONFIG_DIR", "/mine/claude")
	t.Setenv("ACC_GENERATION", "secret")
	for want, u := range map[string]User{
		"HOME=" + home + "\nCLAUDE_CONFIG_DIR=\nACC_GENERATION=\nMORE=1\n":      OtherUser(home, os.Getenv),
		"HOME=/mine\nCLAUDE_CONFIG_DIR=/mine/claude\nACC_GENERATION=\nMORE=1\n": {Home: home, Env: os.Getenv},
	} {
		if got, err := ask(t, t.Context(), u, "env", adapter.ClientCommand{Env: []string{"MORE=1"}}); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	env := OtherUser(home, func(name string) string { return "mine:" + name }).Env
	for name, want := range map[string]string{homeVariable(): home, "XDG_DATA_HOME": "", "CODEX_HOME": "", "ACC_DATA_HOME": "mine:ACC_DATA_HOME", "PATH": "mine:PATH"} {
		if got := env(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// broken is an installer that fails where it is told to.
type broken struct {
	id      string
	at      string
	present bool
	applied *[]string
}

func (b broken) ID() string          { return b.id }
func (b broken) DisplayName() string { return strings.ToUpper(b.id) }
func (b broken) Detect(context.Context, adapter.Machine) (adapter.Detection, error) {
	return adapter.Detection{Present: b.present}, b.fails("detect")
}
func (b broken) Plan(context.Context, adapter.Machine) (*adapter.Plan, error) {
	return &adapter.Plan{Changes: []adapter.FileChange{{Path: "/x"}}, Apply: func(context.Context) error {
		if err := b.fails("apply"); err != nil {
			return err
		}
		*b.applied = append(*b.applied, b.id)
		return nil
	}}, b.fails("plan")
}
func (b broken) PlanRemoval(ctx context.Context, m adapter.Machine, _ adapter.RemovalOptions) (*adapter.Plan, error) {
	p, err := b.Plan(ctx, m)
	return p, err
}
func (b broken) Doctor(context.Context, adapter.Machine) (adapter.Diagnosis, error) {
	return adapter.Diagnosis{}, nil
}
func (b broken) fails(at string) error {
	if b.at == at {
		return protocol.DataError("", b.id+" fails to "+at)
	}
	return nil
}

// TestOneFailureStopsNobody, wherever it happens.
func TestOneFailureStopsNobody(t *testing.T) {
	var applied []string
	var all []adapter.Installer
	for _, at := range []string{"detect", "plan", "apply", "", "absent"} {
		all = append(all, broken{id: "a" + at, at: at, present: at != "absent", applied: &applied})
	}
	clients := Detect(t.Context(), adapter.Machine{}, all)
	var states []string
	for _, c := range clients {
		c.Plan(t.Context(), adapter.Machine{})
	}
	for _, c := range clients {
		c.Install(t.Context(), adapter.Machine{})
		states = append(states, string(c.State))
	}
	if want := []string{"failed", "failed", "failed", "done", "absent"}; !slices.Equal(states, want) || !slices.Equal(applied, []string{"a"}) {
		t.Errorf("%v, applied %v", states, applied)
	}
	// What stays on record because it is kept must not be asked for again and again.
	one := &Client{Installer: all[3]}
	one.Remove(t.Context(), adapter.Machine{}, false, func(*adapter.Plan) {})
	if one.State != Done || len(one.Plans) != 1 {
		t.Errorf("%s, %d plans", one.State, len(one.Plans))
	}
}

// shifting is an installer whose client changes its files while acc is at work.
type shifting struct {
	broken
	plans *int
}

func (s shifting) Plan(ctx context.Context, m adapter.Machine) (*adapter.Plan, error) {
	p, err := s.broken.Plan(ctx, m)
	p.Changes[0].Details = []string{fmt.Sprint(*s.plans)}
	*s.plans++
	return p, err
}

// TestNothingThatWasNotTold: what differs from the list that a person saw is not written.
func TestNothingThatWasNotTold(t *testing.T) {
	var applied []string
	c := &Client{Installer: shifting{broken{id: "a", applied: &applied}, new(int)}, State: Planned}
	c.Plan(t.Context(), adapter.Machine{})
	c.Install(t.Context(), adapter.Machine{})
	if c.State != Failed || len(applied) > 0 || !strings.Contains(c.Err.Error(), "nothing was written") {
		t.Errorf("%s, %v, applied %v", c.State, c.Err, applied)
	}
}

func TestSelect(t *testing.T) {
	all := []adapter.Installer{broken{id: "a"}, broken{id: "b"}, broken{id: "c"}}
	some, err := Select(all, []string{"c", "a", "c"})
	if err != nil || len(some) != 2 || some[0].ID() != "a" || some[1].ID() != "c" || len(all) != 3 {
		t.Errorf("%v, %v", some, err)
	}
	clients := []adapter.Installer{broken{id: "claude_code"}, broken{id: "codex"}, broken{id: "gemini_cli"}, broken{id: "kimi"}}
	for id, hint := range map[string]string{
		"clippy": "one of claude_code, codex, gemini_cli, kimi", "claude-code": "did you mean claude_code?", "claude": "did you mean claude_code?", "Claude Code": "did you mean claude_code?",
		"gemini": "did you mean gemini_cli?", "codex-cli": "did you mean codex?", "kimi-code": "did you mean kimi?",
	} {
		var e *protocol.Error
		if _, err := Select(clients, []string{id}); !errors.As(err, &e) || e.Code != protocol.Usage || e.Hint != hint {
			t.Errorf("%s: %v", id, err)
		}
	}
}
