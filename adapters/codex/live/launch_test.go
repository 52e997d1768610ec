package live

import (
	"os"
	"runtime"
	"slices"
	"testing"
)

func TestLaunchOption(t *testing.T) {
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"", nil},
		{"", []string{"codex"}},
		{"", []string{"codex", "resume", "--last"}},
		{"", []string{"codex", "-m", "gpt-5.5", "-s", "read-only"}},
		{"--no-daemon", []string{"codex", "--no-daemon"}},
		{"--config", []string{"codex", "-c", "model=secret"}},
		{"--config", []string{"codex", "-cmodel=secret"}},
		{"--config", []string{"codex", "--config=model=secret"}},
		{"--profile", []string{"codex", "-m", "x", "-p", "work"}},
		{"--search", []string{"codex", "--search", "hello"}},
		{"--dangerously-bypass-hook-trust", []string{"codex", "--dangerously-bypass-hook-trust"}},
		{"exec", []string{"codex", "exec", "-c", "x"}},
		{"exec", []string{"codex", "-m", "x", "e", "hello"}},
		{"", []string{"codex", "explain what --oss does", "--oss"}},
		{"", []string{"codex", "--", "--oss"}},
		{"", []string{"codex", "-m", "--oss"}},
		{"", []string{"codex", "--configure"}},
	} {
		if got := launchOption(tt.args); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestLaunchArguments(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("unknown here")
	}
	if got := launchArguments(os.Getpid()); !slices.Equal(got, os.Args) {
		t.Errorf("%q, want %q", got, os.Args)
	}
	if got := launchArguments(0); got != nil {
		t.Errorf("%q of nobody", got)
	}
}
