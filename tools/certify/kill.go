//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/acc-control-plane/acc/tools/realclient"
)

// stopCodex ends what Codex leaves running for a home.
func stopCodex(s *stage) {
	realclient.StopCodexServer(s.path, s.environment("dumb"), filepath.Join(s.home, ".codex"))
}

// killTree ends a process and everything below it at once, so that nothing can say goodbye.
func killTree(ctx context.Context, root int) error {
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return fmt.Errorf("ps: %w", err)
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		var pid, parent int
		if _, err := fmt.Sscan(line, &pid, &parent); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	tree := []int{root}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i]]...)
	}
	if slices.Contains(tree, 1) || root <= 1 {
		return errors.New("no process to end")
	}
	for _, pid := range tree {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill %d: %w", pid, err)
		}
	}
	return nil
}
