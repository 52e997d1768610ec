package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/hook-runner"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary answer to the names of the executables, so that every test runs the
// real main in a process of its own.
func TestMain(m *testing.M) {
	acc := main
	if os.Getenv(killAt) != "" {
		acc = dying
	}
	testscript.Main(m, map[string]func(){
		"acc": acc,
		"acc-hook": func() {
			adapters, err := registry.Hooks()
			hookrunner.Main(nil, adapters, err)
		},
	})
}

// TestStories plays every testdata/stories/*.txtar.
//
// Beside testscript's own commands there are:
//
//	attach NAME [options]        opens a session; NAME is its participant
//	as NAME COMMAND ...          runs acc with the owner pair of NAME ("-": nobody) and wants exit 0
//	refused CODE NAME COMMAND .. the same, and wants that exit code
//	remember VAR REGEXP          keeps the first group found in stdout as $VAR
//	repository DIR               makes a Git repository with one commit
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/stories",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			data := env.WorkDir + "-data" // beside it: a room may not contain its data
			env.Setenv("ACC_DATA_HOME", data)
			env.Defer(func() { _ = os.RemoveAll(data) })
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			acc, err := exec.LookPath("acc")
			if err != nil {
				return err
			}
			env.Setenv("ACC", acc)
			env.Setenv("BUILD", filepath.Dir(acc))
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"attach": attach, "as": as, "refused": refused, "remember": remember, "repository": repository,
		},
	})
}

func attach(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: attach NAME [options]")
	}
	ts.Check(ts.Exec("acc", append([]string{"attach", "--participant", args[0]}, args[1:]...)...))
	pair := strings.Fields(ts.ReadFile("stdout"))
	if len(pair) != 2 {
		ts.Fatalf("attach printed %q", pair)
	}
	ts.Setenv(args[0]+"_SESSION", pair[0])
	ts.Setenv(args[0]+"_GENERATION", pair[1])
}

func as(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: as NAME COMMAND ...")
	}
	if code := runAs(ts, args[0], args[1:]); code != 0 {
		ts.Fatalf("exit %d, want 0", code)
	}
}

func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: refused CODE NAME COMMAND ...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if code := runAs(ts, args[1], args[2:]); code != want {
		ts.Fatalf("exit %d, want %d", code, want)
	}
}

// runAs runs acc with the pair of an attached participant in the environment.
func runAs(ts *testscript.TestScript, name string, args []string) int {
	if name != "-" {
		ts.Setenv("ACC_SESSION", ts.Getenv(name+"_SESSION"))
		ts.Setenv("ACC_GENERATION", ts.Getenv(name+"_GENERATION"))
	}
	err := ts.Exec("acc", args...)
	ts.Setenv("ACC_SESSION", "")
	ts.Setenv("ACC_GENERATION", "")
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

func remember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: remember VAR REGEXP")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("%q finds no group in stdout", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func repository(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repository DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	for _, line := range []string{"init -q -b main", "-c user.name=t -c user.email=t@localhost commit -q --allow-empty -m Begin"} {
		git := exec.CommandContext(context.Background(), "git", append([]string{"-C", dir}, strings.Fields(line)...)...)
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := git.CombinedOutput(); err != nil {
			ts.Fatalf("git %s: %v\n%s", line, err, out)
		}
	}
}
