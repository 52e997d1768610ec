package unmanaged

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// Executable is an installed executable as it was found.
type Executable struct {
	Name, Path string
	Present    bool
	Problem    string // why it cannot be run; "": none was found
}

// Inspect looks at the installed executables.
func Inspect(home datahome.Home) []Executable {
	all := make([]Executable, len(names))
	for i, name := range names {
		all[i] = inspect(name, filepath.Join(home.Bin(), file(name)))
	}
	return all
}

func inspect(name, path string) Executable {
	e := Executable{Name: name, Path: path}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e
	case err != nil:
		e.Problem = err.Error()
		return e
	case !info.Mode().IsRegular():
		e.Problem = "it is not a regular file"
	case info.Mode().Perm()&0o100 == 0 && file(name) == name:
		e.Problem = "it may not be executed"
	case info.Mode().Perm()&0o022 != 0 && file(name) == name:
		e.Problem = "others may write to it"
	}
	e.Present = true
	return e
}

// answerLimit is the time in which acc-hook answers a call without arguments.
const answerLimit = 5 * time.Second

// Answer calls the installed acc-hook without arguments, which makes it say how it is called and do
// nothing. It gives how long that took.
func Answer(ctx context.Context, home datahome.Home) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(home.Bin(), file("acc-hook")))
	cmd.Dir, cmd.WaitDelay = home.Root, time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	started := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	if !strings.HasPrefix(stderr.String(), "acc-hook: usage: ") {
		return 0, errors.New("it answered something else than acc-hook does")
	}
	return time.Since(started), nil
}
