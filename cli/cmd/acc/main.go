// Command acc is the local command line of the control plane: what people and models call.
package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/cli/registry"
	"github.com/acc-control-plane/acc/cli/registry/clients"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	catch := sync.OnceFunc(func() { cancelOn(cancel, os.Interrupt, syscall.SIGTERM) })
	soon := time.AfterFunc(uncaught, catch)
	resident := false
	host := command.Host{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: datahome.Installed(os.Getenv),
		Admit: func(s command.Standing) error {
			resident = s == command.Resident
			return admit(s)
		},
		Patient: catch, Enter: room.Enter, Hooks: registry.Hooks, Lives: registry.Lives, Installers: clients.Installers,
	}
	code := command.Main(ctx, host, os.Args[1:])
	soon.Stop()
	cancel()
	if resident {
		maintain(host.Env)
	}
	os.Exit(int(code))
}

// uncaught is how long a command may be ended by a signal without a word. Nothing is lost with it, nobody has waited for
// long, and to catch signals costs more than most of what a command does.
const uncaught = 50 * time.Millisecond

// cancelOn calls cancel when one of the signals comes.
func cancelOn(cancel func(), signals ...os.Signal) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, signals...)
	go func() {
		<-caught
		cancel()
	}()
}

// admit lets this process into the managed runtime of its data home.
func admit(s command.Standing) error {
	home, err := datahome.Locate(datahome.Installed(os.Getenv))
	if err != nil {
		return err
	}
	kind := launch.Command
	if s == command.Manager {
		kind = launch.Management
	}
	_, err = launch.Admit(launch.Request{Program: "acc", Kind: kind, Home: home, Args: os.Args})
	return err
}

// maintain lets the worker of a managed runtime begin what is due, now that nobody waits for this process.
func maintain(env datahome.Env) {
	if home, err := datahome.Locate(env); err == nil {
		schedule.Start(home, env)
	}
}
