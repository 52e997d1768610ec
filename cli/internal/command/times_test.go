package command_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/command"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
)

// TestPeopleReadLocalTimes runs commands far from Greenwich: what a person reads is local, what a program
// reads is UTC, and both are one moment.
func TestPeopleReadLocalTimes(t *testing.T) {
	before := time.Local
	t.Cleanup(func() { time.Local = before })
	time.Local = time.FixedZone("far", 5*3600+30*60)

	base := t.TempDir()
	data, dir := filepath.Join(base, "data"), t.TempDir()
	run := func(args ...string) (said string, failed string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		env := func(name string) string { return map[string]string{"ACC_DATA_HOME": data}[name] }
		host := command.Host{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: env, Enter: room.Enter}
		command.Main(t.Context(), host, append(args, "--cwd", dir))
		return stdout.String(), stderr.String()
	}
	attach := func(name string) []string {
		said, _ := run("attach", "--participant", name)
		pair := strings.Fields(said)
		if len(pair) != 2 {
			t.Fatalf("attach printed %q", said)
		}
		return []string{"--session", pair[0], "--generation", pair[1]}
	}
	ada, bob := attach("ada"), attach("bob")
	as := func(owner []string, args ...string) (string, string) { return run(append(args, owner...)...) }

	out, _ := as(ada, "claim", "--resource", "a", "--json")
	claimed, err := view.Claimed.Decode([]byte(strings.TrimSpace(out)))
	if err != nil {
		t.Fatal(err)
	}
	until := claimed.Claim.ExpiresAt
	utc := regexp.MustCompile(`"(acquiredAt|expiresAt)":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)
	if n := len(utc.FindAllString(out, -1)); n != 2 {
		t.Errorf("%d times in UTC in %s", n, out)
	}
	local := regexp.QuoteMeta(until.In(time.Local).Format("15:04:05"))
	_, refusal := as(bob, "claim", "--resource", "a")
	if !regexp.MustCompile(`^acc: file:a is claimed by ada until (\d{4}-\d\d-\d\d )?` + local + ` \((29|30) min left\)\n`).MatchString(refusal) {
		t.Errorf("a person is told %q, it is until %s", refusal, until.In(time.Local))
	}
	refused, _ := as(bob, "claim", "--resource", "a", "--json")
	failure, err := view.DecodeError([]byte(strings.TrimSpace(refused)))
	if err != nil || failure.Reason != string(protocol.ReasonClaimConflict) {
		t.Fatalf("%v: %s", err, refused)
	}
	if !strings.HasSuffix(failure.Message, " until "+until.Format(time.RFC3339)) || !strings.Contains(string(failure.Details), `"expiresAt":"`+until.Format("2006-01-02T15:04:05.000Z")+`"`) {
		t.Errorf("a program is told %s, it is until %s", refused, until)
	}
	// Whatever else tells a time tells one of about now, in the hour of the place.
	clock := regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)
	for _, args := range [][]string{append([]string{"heartbeat"}, ada...), append([]string{"claim", "--resource", "b"}, ada...), {"log"}} {
		said, _ := run(args...)
		if !clock.MatchString(said) {
			t.Errorf("%s tells no time: %q", args[0], said)
		}
		for _, told := range clock.FindAllString(said, -1) {
			if away := apart(t, told, time.Now().In(time.Local).Format("15:04:05")); away > time.Hour {
				t.Errorf("%s says %s, %s away from the time of this place", args[0], told, away)
			}
		}
	}
}

// apart gives how far two times of day are from each other.
func apart(t *testing.T, a, b string) time.Duration {
	t.Helper()
	x, errX := time.Parse(time.TimeOnly, a)
	y, errY := time.Parse(time.TimeOnly, b)
	if errX != nil || errY != nil {
		t.Fatal(errX, errY)
	}
	away := x.Sub(y).Abs()
	return min(away, 24*time.Hour-away)
}
