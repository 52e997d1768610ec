// Command program stands for every executable of a generation in tests of the managed runtime: it enters the
// runtime as those do, says which build it is, and stays as long as it is told to.
//
//	program hook SESSION [CLIENT]   reads a payload, enters as a hook; with CLIENT, a process id, the session begins
//	program end SESSION             likewise; the session ends
//	program hold KIND               enters, says so, and stays until its input ends
//	program parent KIND             likewise, after it has started a process that stays for some seconds
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/acc-control-plane/acc/cli/launch"
	"github.com/acc-control-plane/acc/cli/release/build"
	"github.com/acc-control-plane/acc/storage-filesystem/process"
)

const adapterID = "vendor"

func main() {
	switch os.Args[1] {
	case "hold", "parent":
		lease := launch.Enter("acc", launch.Kind(os.Args[2]))
		if os.Args[1] == "parent" {
			if _, err := os.StartProcess("/bin/sleep", []string{"sleep", "5"}, &os.ProcAttr{}); err != nil {
				panic(err)
			}
		}
		fmt.Println(build.Version(), lease != nil)
		_, _ = io.Copy(io.Discard, os.Stdin)
		lease.Close()
	case "hook", "end":
		hook(os.Args[1:])
	}
}

func hook(args []string) {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	r := &launch.Residence{}
	if err := r.Admit(adapterID, args[1], len(args) > 2, payload); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	switch {
	case args[0] == "end":
		r.Ended(adapterID, args[1])
	case len(args) > 2:
		pid, err := strconv.Atoi(args[2])
		if err != nil {
			panic(err)
		}
		if client, ok := (process.Table{}).Identify(pid); ok {
			r.Began(adapterID, args[1], client)
		}
	}
	fmt.Printf("%s %s\n", build.Version(), payload)
}
