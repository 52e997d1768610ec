package installkit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
)

// echo is a client whose hooks are a list in ~/.echo/hooks.json.
type echo struct{}

func (echo) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, installkit.Search{Command: "echo-client", RootDefault: ".echo", VersionArgs: []string{"--version"}})
}

func (echo) Wants(m adapter.Machine, d adapter.Detection) (installkit.Wants, error) {
	mark, err := installkit.Mark(m)
	if err != nil {
		return installkit.Wants{}, err
	}
	command, err := installkit.HookCommand(m, "echo", "")
	if err != nil {
		return installkit.Wants{}, err
	}
	return installkit.Wants{
		Mark: mark,
		Edits: []installkit.UserFile{{Path: filepath.Join(d.Root, "hooks.json"), Format: installkit.JSONC, Edits: []installkit.Edit{{
			Kind: installkit.Element, Path: []string{"onPrompt"}, Value: installkit.Quote(command), Ours: true,
			Events: []string{"prompt"}, Label: "onPrompt",
		}}}},
		Steps: []string{"start Echo again"},
	}, nil
}

// A command plans, shows, applies; and asks the doctor.
func Example() {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	file := filepath.Join(home, ".echo", "hooks.json")
	_ = os.Mkdir(filepath.Dir(file), 0o700)
	_ = os.WriteFile(file, []byte("{\n  // mine\n  \"onPrompt\": [\"say hi\"]\n}\n"), 0o600)

	data := filepath.Join(home, ".local", "share", "acc")
	machine := adapter.Machine{
		GOOS: "linux", Home: home, Data: data, Bin: filepath.Join(data, "runtime", "bin"), Version: "0.1.0",
		Now: time.Now, Env: func(string) string { return "" },
	}
	show := func(p *adapter.Plan) {
		for _, c := range p.Changes {
			name, _ := filepath.Rel(home, c.Path)
			fmt.Println(c.Action, name+":", strings.Join(c.Details, ", "))
		}
	}
	ctx := context.Background()
	installer, err := installkit.New("echo", "Echo", echo{})
	if err != nil {
		fmt.Println(err)
		return
	}

	plan, err := installer.Plan(ctx, machine) // touches nothing
	if err != nil {
		fmt.Println(err)
		return
	}
	show(plan)
	fmt.Println("then:", plan.Steps[0])
	if err := plan.Apply(ctx); err != nil {
		fmt.Println(err)
		return
	}
	diagnosis, err := installer.Doctor(ctx, machine)
	fmt.Println(diagnosis.Hooks[0].Event, "is", diagnosis.Hooks[0].State, err)

	removal, err := installer.PlanRemoval(ctx, machine, adapter.RemovalOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(removal)
	if err := removal.Apply(ctx); err != nil {
		fmt.Println(err)
		return
	}
	text, _ := os.ReadFile(file)
	fmt.Print(string(text))

	// Output:
	// edit .echo/hooks.json: add onPrompt
	// then: start Echo again
	// prompt is written <nil>
	// edit .echo/hooks.json: remove onPrompt
	// {
	//   // mine
	//   "onPrompt": ["say hi"]
	// }
}
