package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "accbuild:", err)
		os.Exit(1)
	}
}

// options are what is asked for.
type options struct {
	with    []string // path@version, or a directory
	without []string // names of adapters
	from    string   // version of the published modules; "": the checkout
	output  string
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("accbuild", flag.ContinueOnError)
	list := func(to *[]string) func(string) error {
		return func(value string) error { *to = append(*to, value); return nil }
	}
	flags.Func("with", "adapter to add: `MODULE@VERSION`, or a directory with a module; may be repeated", list(&o.with))
	flags.Func("without", "`NAME` of an adapter to leave out; may be repeated", list(&o.without))
	flags.StringVar(&o.from, "from", "", "build published modules of this `VERSION` instead of the checkout")
	flags.StringVar(&o.output, "output", "", "`DIRECTORY` to write to: bin with the executables, and the manifest")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("what is %s? adapters are named with --with and --without", strings.Join(flags.Args(), " "))
	case o.output == "":
		return o, errors.New("where to? name a directory with --output")
	}
	var err error
	o.output, err = filepath.Abs(o.output)
	return o, err
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "accbuild-")
	if err != nil {
		return err
	}
	a := newAssembly(scratch)
	defer a.remove()
	built, err := a.build(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("%s: acc %s with %s\n", o.output, built.version, strings.Join(built.adapters, ", "))
	for _, name := range built.commands {
		fmt.Println("  bin/" + name)
	}
	for _, name := range built.leftOut {
		fmt.Printf("  not built: %s, which serves only an adapter that is left out\n", name)
	}
	if built.ids == nil {
		fmt.Println("  no manifest: this acc has not all that a managed installation needs")
	} else {
		fmt.Println("  manifest.json, adapters:", strings.Join(built.ids, ", "))
	}
	return nil
}
