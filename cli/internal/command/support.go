package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/support"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/room"
	flags "github.com/urfave/cli/v2"
)

func supportCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "support-bundle", Group: groupSetup,
			Summary: "write what somebody needs to help you, without what you wrote",
			Options: []argv.Option{
				{Name: "output", Value: "PATH", Default: "acc-support-TIME.tar.gz", Usage: "a new file, readable by you alone"},
				homeOption,
			},
			Notes: []string{
				"Version, acc doctor, the kinds and times of the last events, and the names and sizes of the room's files.",
				"No message, subject, intent, reason, key or endpoint. Names of participants, files and directories are in it: look before you send it.",
			},
		},
		Patience: 10 * time.Minute,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			m, err := inv.machine(given)
			if err != nil {
				return Answer{}, err
			}
			return bundle{m, given.String("output")}.run(ctx, inv)
		},
	}
}

type bundle struct {
	machine
	output string // empty: a name of our own in the current directory
}

func (b bundle) run(ctx context.Context, inv *Invocation) (Answer, error) {
	cwd, err := inv.Cwd()
	if err != nil {
		return Answer{}, err
	}
	now := time.Now()
	if b.output == "" {
		b.output = "acc-support-" + now.UTC().Format("20060102T150405Z") + ".tar.gz"
	}
	if !filepath.IsAbs(b.output) {
		b.output = filepath.Join(cwd, b.output)
	}
	files, err := b.collect(ctx, inv, now)
	if err != nil {
		return Answer{}, err
	}
	f, err := os.OpenFile(b.output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Answer{}, protocol.ConflictError("output_exists", b.output+" is already there").WithHint("name another file with --output")
	}
	if err == nil {
		err = errors.Join(support.Write(f, files, now), f.Close())
	}
	if err != nil {
		return Answer{}, protocol.DataError("", "cannot write the bundle: "+err.Error()).Because(err)
	}
	data := view.BundledData{Path: b.output}
	for _, file := range files {
		data.Files = append(data.Files, view.BundledFile{Name: file.Name, Bytes: len(file.Data)})
	}
	return answer(view.Bundled, data, func(u *ui.UI) { sayBundled(u, data) }), nil
}

func sayBundled(u *ui.UI, data view.BundledData) {
	u.Print("wrote %s, readable by you alone:", ui.Escape(data.Path))
	var rows [][]ui.Cell
	for _, f := range data.Files {
		rows = append(rows, ui.Row(f.Name, fmt.Sprintf("%d bytes", f.Bytes)))
	}
	u.Table("  ", rows)
	u.Print("It names participants, files and directories: look before you send it.")
}

// collect gives the files of the bundle. What cannot be found out is missing, and doctor says why.
func (b bundle) collect(ctx context.Context, inv *Invocation, now time.Time) ([]support.File, error) {
	facts, err := inv.facts()
	if err != nil {
		facts = buildFacts()
	}
	about, err := view.Version.Envelope(facts, view.Meta{})
	if err != nil {
		return nil, err
	}
	examined := examine(ctx, inv, b.machine, false)
	found, err := examined.JSON(view.Meta{WorkspaceID: examined.WorkspaceID})
	if err != nil {
		return nil, err
	}
	files := []support.File{{Name: "version.json", Data: about}, {Name: "doctor.json", Data: found}, {Name: "environment.txt", Data: b.variables()}}
	r, err := inv.roomOf(ctx, b.Env)
	if err != nil {
		return files, nil
	}
	files = append(files, support.File{Name: "files.txt", Data: support.List(ctx, r.Dir)})
	if events, err := b.events(ctx, r); err == nil {
		files = append(files, support.File{Name: "events.txt", Data: events})
	}
	return files, nil
}

// variables says which variables that acc reads are set, and not to what.
func (b bundle) variables() []byte {
	var text strings.Builder
	for _, name := range support.Variables {
		state := "not set"
		if b.Env(name) != "" {
			state = "set"
		}
		fmt.Fprintf(&text, "%s %s\n", name, state)
	}
	return []byte(text.String())
}

// events gives what happened, by kind and time: no payload, which may hold what somebody wrote.
func (b bundle) events(ctx context.Context, r *room.Room) ([]byte, error) {
	status, err := bounded(ctx, func(ctx context.Context) (core.Status, error) { return r.Core.Status(ctx, core.StatusQuery{}) })
	if err != nil {
		return nil, err
	}
	last, err := protocol.ParseSequence(status.Cursor)
	if err != nil {
		return nil, err
	}
	from := protocol.FormatSequence(last - min(last, protocol.EventsPageMax))
	page, err := bounded(ctx, func(ctx context.Context) (core.SyncResult, error) {
		return r.Core.Sync(ctx, core.SyncQuery{Cursor: from, Limit: protocol.EventsPageMax})
	})
	var text strings.Builder
	for _, e := range page.Events {
		fmt.Fprintf(&text, "%s %s %s %s\n", protocol.FormatSequence(e.Sequence), e.OccurredAt.UTC().Format(time.RFC3339), e.Type, e.ActorSessionID)
	}
	return []byte(text.String()), err
}
