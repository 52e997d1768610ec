package runtime

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// The tests build one small program twice, stamped as two builds, and install it as the executables of two
// generations. Managers at which processes are killed or stopped are this test binary, started again.

// buildOf is the build of a version in tests.
func buildOf(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:12])
}

// programs are the built executables by version.
var programs = map[string]string{}

var versions = []string{"1.0.0", "1.1.0"}

func TestMain(m *testing.M) {
	if role := os.Getenv(envRole); role != "" {
		os.Exit(play(role))
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "acc-runtime-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		for _, v := range versions {
			programs[v] = filepath.Join(dir, v+".exe")
			const stamps = "-X github.com/acc-control-plane/acc/cli/release/build."
			cmd := exec.Command("go", "build", "-o", programs[v], "-ldflags", stamps+"id="+buildOf(v)+" "+stamps+"version="+v, "./testdata/program")
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				fmt.Fprintln(os.Stderr, "go build:", err)
				return 1
			}
		}
		return m.Run()
	}())
}

// The roles of this binary as another process.
const (
	envRole = "ACC_TEST_RUNTIME_ROLE"
	envStep = "ACC_TEST_RUNTIME_STEP" // at which it stops
	envHow  = "ACC_TEST_RUNTIME_HOW"  // kill or stop
)

// play is the other process: it does one thing and stops at one step of it.
func play(role string) int {
	home := datahome.Home{Root: os.Getenv("ACC_DATA_HOME")}
	m := Open(home)
	m.step = func(name string) {
		if name == os.Getenv(envStep) {
			halt(os.Getenv(envHow))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	switch what, arg, _ := strings.Cut(role, " "); what {
	case "update":
		err = update(ctx, m, arg)
	case "everything":
		if err = update(ctx, m, arg); err == nil {
			_, err = m.UpgradeStores(ctx)
		}
	case "install":
		err = install(ctx, m, arg)
	case "activate":
		err = m.Activate(ctx, fileIntegrations{home})
	case "reclaim":
		_, err = m.Reclaim(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return int(protocol.CodeOf(err))
	}
	return 0
}

// update is everything from an unpacked release to the end of the pass.
func update(ctx context.Context, m *Manager, dir string) error {
	s, err := m.Stage(ctx, dir)
	if err != nil {
		return err
	}
	defer s.Release()
	if err := m.Publish(ctx, s); err != nil {
		return err
	}
	if err := m.Activate(ctx, fileIntegrations{m.home}); err != nil {
		return err
	}
	_, err = m.Reclaim(ctx)
	return err
}

// install is what acc install does with a release that lies somewhere else, where nothing is managed.
func install(ctx context.Context, m *Manager, dir string) error {
	s, err := m.StageCopy(ctx, dir)
	if err != nil {
		return err
	}
	defer s.Release()
	if _, err := m.Install(ctx, s, "/home/ana", nil, true); err != nil {
		return err
	}
	return m.Wire(ctx, "/home/ana", []string{"one", "two"})
}

// fileIntegrations are two clients whose configuration is one file each.
type fileIntegrations struct{ home datahome.Home }

func (f fileIntegrations) Prepare(_ context.Context, to Generation) ([]Application, error) {
	var all []Application
	for _, id := range []string{"one", "two"} {
		all = append(all, Application{Adapter: id, Apply: func(context.Context) error {
			return os.WriteFile(filepath.Join(f.home.Root, id+".conf"), []byte(to.Version), 0o600)
		}})
	}
	return all, nil
}

// world is a data home in which 1.0.0 is installed.
type world struct {
	t    *testing.T
	home datahome.Home
	m    *Manager
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := emptyWorld(t)
	s := w.stage("1.0.0", 0)
	defer s.Release()
	if how, err := w.m.Install(w.ctx(), s, "/home/ana", []string{"one", "two"}, true); err != nil || how != First {
		t.Fatal(how, err)
	}
	return w
}

func emptyWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := datahome.Home{Root: filepath.Join(root, "data")}
	return &world{t: t, home: home, m: Open(home)}
}

func (w *world) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	w.t.Cleanup(cancel)
	return ctx
}

// unpacked makes a verified directory of a release; contract 0 is that of this build.
func (w *world) unpacked(version string, contract int) string {
	w.t.Helper()
	if contract == 0 {
		contract = protocol.StoreVersion
	}
	if err := os.MkdirAll(w.m.Layout().Downloads(), 0o700); err != nil {
		w.t.Fatal(err)
	}
	dir, err := os.MkdirTemp(w.m.Layout().Downloads(), "release-")
	if err != nil {
		w.t.Fatal(err)
	}
	here, _ := release.ThisPlatform()
	manifest := release.Manifest{
		Name: "acc-test", Version: version, BuildID: buildOf(version), Platform: here.Name, StoreContract: contract,
		UpdateProtocol: release.UpdateProtocol, Adapters: []string{"one", "two", "vendor"},
	}
	program := programs[version]
	if program == "" {
		program = programs[versions[0]]
	}
	data, err := os.ReadFile(program)
	if err != nil {
		w.t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range release.Required {
		path := "bin/" + here.Executable(name)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(path)), data, 0o700); err != nil {
			w.t.Fatal(err)
		}
		manifest.Files = append(manifest.Files, release.FileInfo{Path: path, Mode: release.Program, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
	}
	raw, err := manifest.Encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, release.ManifestName), raw, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return dir
}

func (w *world) stage(version string, contract int) *Staged {
	w.t.Helper()
	s, err := w.m.Stage(w.ctx(), w.unpacked(version, contract))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(s.Release)
	return s
}

// publish stages a release and makes it the pending one.
func (w *world) publish(version string, contract int) Generation {
	w.t.Helper()
	s := w.stage(version, contract)
	defer s.Release()
	if err := w.m.Publish(w.ctx(), s); err != nil {
		w.t.Fatal(err)
	}
	return s.Generation
}

func (w *world) activate() error { return w.m.Activate(w.ctx(), fileIntegrations{w.home}) }

// control reads the record.
func (w *world) control() control {
	w.t.Helper()
	c, err := w.m.control()
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// set writes the record as another version, or a person, might have.
func (w *world) set(edit func(c *control)) {
	w.t.Helper()
	c := w.control()
	edit(&c)
	if err := write(w.m, w.m.at.Control(), controlObject, &c); err != nil {
		w.t.Fatal(err)
	}
}

// command starts a launch path.
func (w *world) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(w.m.at.Bin(), program), args...)
	cmd.Env = []string{"PATH=/nowhere", "HOME=" + w.home.Root}
	cmd.Dir = os.TempDir()
	return cmd
}

// hook runs a hook of a session and gives the version that answered it; "": none did.
func (w *world) hook(args ...string) (version, stderr string) {
	w.t.Helper()
	const payload = `{"a payload":"of its own"}`
	cmd := w.command("acc-hook", append([]string{"hook"}, args...)...)
	return answer(w.t, cmd, payload)
}

func answer(t *testing.T, cmd *exec.Cmd, payload string) (version, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(payload), &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v: %s", cmd.Args, err, errs.String())
	}
	version, echoed, _ := strings.Cut(strings.TrimSuffix(out.String(), "\n"), " ")
	if version != "" && echoed != payload {
		t.Errorf("the payload arrived as %q", echoed)
	}
	return version, errs.String()
}

// process is a process that stays.
type running struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	version string
}

// hold starts a process that stays in the runtime.
func (w *world) hold(kind string) *running {
	w.t.Helper()
	return w.start(w.command("acc", "hold", kind))
}

func (w *world) start(cmd *exec.Cmd) *running {
	w.t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	r := &running{cmd: cmd, stdin: stdin}
	w.t.Cleanup(r.kill)
	line := make([]byte, 64)
	n, err := stdout.Read(line)
	if err != nil {
		w.t.Fatalf("%v said nothing: %v", cmd.Args, err)
	}
	r.version, _, _ = strings.Cut(string(line[:n]), " ")
	return r
}

func (r *running) kill() {
	if r.cmd.ProcessState == nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	}
}

// end lets the process end by itself.
func (r *running) end(t *testing.T) {
	t.Helper()
	_ = r.stdin.Close()
	if err := r.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// other starts this binary as another manager that stops at a step.
func (w *world) other(role, step, how string) *exec.Cmd {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envRole+"="+role, envStep+"="+step, envHow+"="+how, "ACC_DATA_HOME="+w.home.Root)
	cmd.Stderr = os.Stderr
	return cmd
}

// killed says whether a command was ended by a signal.
func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == -1
}

func pid() string { return strconv.Itoa(os.Getpid()) }
