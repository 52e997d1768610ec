package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/tools/worktree"
)

// stateRow is a line of the table of receipt states.
var stateRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| ")

// startRow is a line of the table of modules, with the module and where to start reading.
var startRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .* \\| ([^|]*) \\|$")

// TestArchitectureIsThatOfTheCode: the states of a message's life are those of the protocol, in the order in
// which they may follow one another, and each file to start reading at is there.
func TestArchitectureIsThatOfTheCode(t *testing.T) {
	worktree.Uncached()
	root, err := worktree.FindRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, life, found := strings.Cut(string(page), "\n## The life of a message")
	if !found {
		t.Fatal("docs/architecture.md does not tell the life of a message")
	}
	var states []string
	for _, m := range stateRow.FindAllStringSubmatch(life, -1) {
		states = append(states, m[1])
	}
	var want []string
	for _, s := range []protocol.ReceiptState{protocol.Queued, protocol.Offered, protocol.Retrieved, protocol.Acknowledged} {
		want = append(want, string(s))
	}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("the states of a receipt (-code +page):\n%s", diff)
	}
	rows := 0
	for _, m := range startRow.FindAllStringSubmatch(string(page), -1) {
		for _, file := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(m[2], -1) {
			rows++
			dir := strings.TrimSuffix(m[1], "/…")
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir), filepath.FromSlash(file[1]))); err != nil {
				t.Errorf("%s is told to be read from %s, which is not there", m[1], file[1])
			}
		}
	}
	if rows == 0 {
		t.Error("no module says where to start reading")
	}
}
