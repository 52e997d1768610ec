package update

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/runtime"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/cli/release/signature"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// The roles of this binary as another process.
const (
	envRole     = "ACC_TEST_UPDATE_ROLE" // update or look: an updater; anything else with an argument: the worker of a release
	envKill     = "ACC_TEST_UPDATE_KILL" // step at which it dies
	envSteps    = "ACC_TEST_UPDATE_STEPS"
	envRegistry = "ACC_TEST_UPDATE_REGISTRY"
	envKey      = "ACC_TEST_UPDATE_KEY"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(envRole); role {
	case "":
		os.Exit(m.Run())
	case "update", "look":
		_ = os.Setenv(envRole, "activate") // of the workers that it starts
		os.Exit(playUpdater(role))
	default:
		os.Exit(playWorker(os.Args[1]))
	}
}

// step keeps the name of a step, or dies there.
func step(name string) {
	name, _, _ = strings.Cut(name, "-") // the hash of a generation differs from test to test
	if name == os.Getenv(envKill) {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	if path := os.Getenv(envSteps); path != "" {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			panic(err)
		}
		_, _ = f.WriteString(name + "\n")
		_ = f.Close()
	}
}

// playWorker is the worker of a pending release, of the build that its script names.
func playWorker(buildID string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	home, err := datahome.Locate(os.Getenv)
	if err == nil {
		err = Activate(ctx, runtime.Open(home).Traced(step), buildID, runtime.NoIntegrations{})
	}
	if err != nil {
		fmt.Println(string(view.AppendError(nil, Failed(err))))
		return int(protocol.CodeOf(err))
	}
	return 0
}

// playUpdater is acc update, or acc update --check.
func playUpdater(role string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	home, err := datahome.Locate(os.Getenv)
	if err != nil {
		panic(err)
	}
	m := runtime.Open(home).Traced(step)
	u := &Updater{Manager: m, Network: true, Step: step, Activate: ByWorker(m, home), Source: func() (Source, error) {
		here, _ := release.ThisPlatform()
		at, err := url.Parse(os.Getenv(envRegistry))
		if err != nil {
			return Source{}, err
		}
		keys, err := signature.ParseKeys(os.Getenv(envKey))
		return Source{Name: packageName, Platform: here, Registry: at, Keys: keys}, err
	}}
	var r Result
	if role == "look" {
		r, err = u.Look(ctx)
	} else {
		r, err = u.Update(ctx, true)
	}
	if err != nil {
		fmt.Println(strings.TrimSpace(err.Error()))
		return 1
	}
	fmt.Println(r.Outcome)
	return 0
}
