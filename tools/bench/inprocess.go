package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
)

// rates compares committed sends with flushes of the same bytes, a second of each in turn.
func (b *bench) rates(ctx context.Context, seconds int) (sends, flushes float64, err error) {
	r, err := b.young.room(ctx)
	if err != nil {
		return 0, 0, err
	}
	var sent, flushed int
	var sending, flushing time.Duration
	for range seconds {
		for began := time.Now(); time.Since(began) < time.Second; flushed++ {
			took, err := b.raw.flush()
			if err != nil {
				return 0, 0, err
			}
			flushing += took
		}
		for began := time.Now(); time.Since(began) < time.Second; sent++ {
			started := time.Now()
			if _, err := r.Core.Send(ctx, b.young.sender, core.SendRequest{
				To: []string{peerName}, MessageKind: protocol.Note, Subject: "measuring", Body: "One more message.",
			}); err != nil {
				return 0, 0, err
			}
			sending += time.Since(started)
		}
	}
	return float64(sent) / sending.Seconds(), float64(flushed) / flushing.Seconds(), nil
}

// goBenchmark runs one Go benchmark of the work tree and gives the time of an operation: what it measures
// lies in a package that this one may not import.
func goBenchmark(ctx context.Context, module, pkg, name string) (time.Duration, error) {
	pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-count", "1", pkg)
	root, err := worktree(ctx)
	if err != nil {
		return 0, err
	}
	cmd.Dir = filepath.Join(root, module)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("go test -bench %s: %w\n%s", name, err, out)
	}
	found := regexp.MustCompile(`(?m)^` + name + `\S*\s+\d+\s+([0-9.]+) ns/op`).FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("go test -bench %s printed no figure:\n%s", name, out)
	}
	nanos, err := strconv.ParseFloat(string(found[1]), 64)
	return time.Duration(nanos), err
}
