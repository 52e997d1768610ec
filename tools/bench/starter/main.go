// Command starter starts another program as a client starts a hook and says what it cost. It is a program
// of its own because a large parent takes longer to start a child, and leaves its own memory in the
// child's accounts.
//
//	starter PAYLOAD PROGRAM [ARGUMENT...]   prints "wallNanoseconds cpuNanoseconds rssKiB exitCode outputBytes"
//	starter busy                            computes until its standard input ends
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "busy" {
		busy()
		return
	}
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "starter: usage: starter PAYLOAD PROGRAM [ARGUMENT...]")
		os.Exit(2)
	}
	if err := measure(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "starter:", err)
		os.Exit(1)
	}
}

// busy keeps one processor working until whoever started it has gone.
func busy() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	runtime.GOMAXPROCS(2)
	for n := uint64(1); ; n = n*6364136223846793005 + 1 {
		if n == 0 {
			fmt.Println(n) // never, and keeps the loop
		}
	}
}

func measure(payload string, argv []string) error {
	stdin, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	answer, stdout, err := os.Pipe()
	if err != nil {
		return err
	}
	// A payload fits the pipe, so that it waits there when the program starts, as with a client.
	if _, err := feed.WriteString(payload); err != nil {
		return err
	}
	_ = feed.Close()
	started := time.Now()
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{stdin, stdout, os.Stderr}})
	if err != nil {
		return err
	}
	_ = stdout.Close()
	said, err := io.Copy(io.Discard, answer)
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err != nil {
		return err
	}
	wall := time.Since(started)
	fmt.Println(wall.Nanoseconds(), (state.UserTime() + state.SystemTime()).Nanoseconds(), resident(state), state.ExitCode(), said)
	return nil
}
