package update

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/cli/internal/update/schedule"
	"github.com/acc-control-plane/acc/cli/release"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

const (
	// trialTime bounds each of the programs of a release that is tried.
	trialTime = 20 * time.Second
	// maxTrialOutput is how much of their output is kept, in bytes.
	maxTrialOutput = 1 << 20
)

// trial runs the programs of a release in a data home of their own, before they are anybody's: whether they start
// here, are the build that their manifest declares, and work together on one store.
type trial struct {
	dir      string // of the release
	scratch  string
	manifest *release.Manifest
}

// try gives the reason why a release must not be used here. Its signature and files must have been checked.
func try(ctx context.Context, dir string, m *release.Manifest) error {
	scratch, err := os.MkdirTemp("", "acc-trial-")
	if err != nil {
		return unhealthy(m, "there is no place to try it", err)
	}
	defer os.RemoveAll(scratch)
	t := trial{dir: dir, scratch: scratch, manifest: m}
	if err := t.identity(ctx); err != nil {
		return unhealthy(m, "acc version", err)
	}
	if err := t.hook(ctx); err != nil {
		return unhealthy(m, "a hook on trial", err)
	}
	return nil
}

// ofVersion is what is read of the answer of acc version; a later release may say more.
type ofVersion struct {
	version, buildID string
	storeVersion     int
	adapters         []string
}

type envelope[T any] struct{ data T }

// enveloped is the success envelope around data, as far as it is read here.
func enveloped[T any](data strictjson.Type[T]) *strictjson.Object[envelope[T]] {
	return &strictjson.Object[envelope[T]]{
		Name: "answer", Open: true,
		Members: func() []strictjson.Member[envelope[T]] {
			return []strictjson.Member[envelope[T]]{
				strictjson.Field("data", "", func(e *envelope[T]) *T { return &e.data }, data),
			}
		},
	}
}

var versionAnswer = enveloped(strictjson.Nested(&strictjson.Object[ofVersion]{
	Name: "version", Open: true,
	Members: func() []strictjson.Member[ofVersion] {
		return []strictjson.Member[ofVersion]{
			strictjson.Field("version", "", func(v *ofVersion) *string { return &v.version }, strictjson.Text(maxText)),
			strictjson.Field("buildId", "", func(v *ofVersion) *string { return &v.buildID }, strictjson.Text(maxText)),
			strictjson.Field("storeVersion", "", func(v *ofVersion) *int { return &v.storeVersion }, strictjson.Int(0, 1<<20)),
			strictjson.Field("adapters", "", func(v *ofVersion) *[]string { return &v.adapters }, strictjson.List(strictjson.Text(maxText), 0, 64)),
		}
	},
}))

// identity compares what acc says of itself with the manifest.
func (t trial) identity(ctx context.Context) error {
	out, err := t.run(ctx, nil, "acc", "version", "--json")
	if err != nil {
		return err
	}
	answer, err := versionAnswer.Decode(out)
	if err != nil {
		return err
	}
	v, m := answer.data, t.manifest
	if v.version != m.Version || v.buildID != m.BuildID || v.storeVersion != m.StoreContract || !slices.Equal(v.adapters, m.Adapters) {
		return fmt.Errorf("it says that it is %.40q, build %.40q, stores %d, with %d adapters", v.version, v.buildID, v.storeVersion, len(v.adapters))
	}
	return nil
}

// hookClient is the client whose session is played. Its payload needs nothing but a directory.
const hookClient = "claude_code"

const sessionStart = `{"session_id":"00000000-0000-4000-8000-000000000001","transcript_path":%s,"cwd":%s,"hook_event_name":"SessionStart","source":"startup"}`

type roomStatus struct{ participants []participant }

type participant struct{ harness string }

var statusAnswer = enveloped(strictjson.Nested(&strictjson.Object[roomStatus]{
	Name: "status", Open: true,
	Members: func() []strictjson.Member[roomStatus] {
		return []strictjson.Member[roomStatus]{
			strictjson.Field("participants", "", func(r *roomStatus) *[]participant { return &r.participants }, strictjson.List(strictjson.Nested(&strictjson.Object[participant]{
				Name: "participant", Open: true,
				Members: func() []strictjson.Member[participant] {
					return []strictjson.Member[participant]{
						strictjson.Field("harness", "", func(p *participant) *string { return &p.harness }, strictjson.Text(maxText)),
					}
				},
			}), 0, 16)),
		}
	},
}))

// hook opens a session as a client would and asks acc for it. A build without that client's adapter shows at
// least that its hook starts.
func (t trial) hook(ctx context.Context) error {
	if !slices.Contains(t.manifest.Adapters, hookClient) {
		_, err := t.run(ctx, nil, "acc-hook")
		return err
	}
	work, err := filepath.EvalSymlinks(t.scratch)
	if err != nil {
		return err
	}
	work = filepath.Join(work, "work")
	payload := fmt.Appendf(nil, sessionStart, quoted(filepath.Join(work, "transcript.jsonl")), quoted(work))
	if _, err := t.run(ctx, payload, "acc-hook", hookClient); err != nil {
		return err
	}
	out, err := t.run(ctx, nil, "acc", "status", "--all", "--json")
	if err != nil {
		return err
	}
	answer, err := statusAnswer.Decode(out)
	if err != nil {
		return err
	}
	if len(answer.data.participants) != 1 || answer.data.participants[0].harness != hookClient {
		return fmt.Errorf("acc sees %d sessions after a hook opened one", len(answer.data.participants))
	}
	return nil
}

// run runs a program of the release and gives what it printed. What it complains about is an error: a hook ends
// well even when it fails.
func (t trial) run(ctx context.Context, stdin []byte, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	work := filepath.Join(t.scratch, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(t.dir, "bin", t.manifest.For().Executable(program)), args...)
	cmd.Dir, cmd.WaitDelay = work, time.Second
	cmd.Env = t.environment()
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr limited
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	complaint := strings.TrimSpace(stderr.String())
	if program == "acc-hook" && len(args) == 0 && strings.HasPrefix(complaint, "acc-hook: usage: ") {
		complaint = ""
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s did not end within %s", program, trialTime)
	case err != nil || complaint != "":
		return nil, fmt.Errorf("%s: %v: %.300q", program, err, complaint)
	}
	return stdout.Bytes(), nil
}

// environment is all that a program on trial is given of this one's.
func (t trial) environment() []string {
	env := []string{"ACC_DATA_HOME=" + filepath.Join(t.scratch, "data"), "ACC_UNMANAGED=1", schedule.NoCheck + "=1"}
	home := "HOME"
	if runtime.GOOS == "windows" {
		home = "USERPROFILE"
	}
	env = append(env, home+"="+t.scratch)
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "TEMP", "TMP"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func unhealthy(m *release.Manifest, what string, err error) error {
	return protocol.DataError(ReasonUnhealthy, fmt.Sprintf("%s %s does not work here: %s: %v", m.Name, m.Version, what, err)).Because(err)
}

// limited keeps the beginning of what is written.
type limited struct{ bytes.Buffer }

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), maxTrialOutput-l.Len())])
	return len(p), nil
}

// quoted is a text as a JSON string.
func quoted(text string) []byte {
	out, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd")) // valid UTF-8 is always quoted
	return out
}
