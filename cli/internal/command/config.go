package command

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/cli/internal/argv"
	"github.com/acc-control-plane/acc/cli/internal/ui"
	"github.com/acc-control-plane/acc/cli/internal/view"
	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
	flags "github.com/urfave/cli/v2"
)

func configCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "config", Group: groupSetup,
			Summary: "write or check the configuration that names a room",
			Notes: []string{
				"A Git repository is a room without any configuration. A configuration names one for directories outside of Git, " +
					"or for several repositories below one directory.",
			},
		},
		Subcommands: []*Definition{configInitCommand(), configValidateCommand()},
	}
}

func configInitCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "init", Summary: "write " + workspace.ConfigName + " into the selected directory",
			Options: []argv.Option{
				{Name: "yes", Usage: "write without asking"},
				{Name: "force", Usage: "write although sessions are attached here; they stay in the old room"},
			},
			Notes: []string{"Never replaces a file."},
		},
		// A person may think about the answer.
		Patience: Thinking,
		Run: func(ctx context.Context, inv *Invocation, given *flags.Context) (Answer, error) {
			return configInit{yes: given.Bool("yes"), force: given.Bool("force")}.run(ctx, inv)
		},
	}
}

type configInit struct{ yes, force bool }

func (o configInit) run(ctx context.Context, inv *Invocation) (Answer, error) {
	dir, err := inv.Cwd()
	if err != nil {
		return Answer{}, err
	}
	path := filepath.Join(dir, workspace.ConfigName)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return Answer{}, exists(path)
	}
	if !o.force {
		if err := nobodyAttached(ctx, inv); err != nil {
			return Answer{}, err
		}
	}
	config := newConfig(filepath.Base(dir))
	text, err := config.Encode()
	if err != nil {
		return Answer{}, err
	}
	if !o.yes {
		agreed, err := inv.confirm(path + ":\n" + string(text) + "write it?")
		if err != nil {
			return Answer{}, err
		}
		if !agreed {
			return Answer{Warnings: []string{"nothing was written"}}, nil
		}
	}
	if err := writeNew(path, text); err != nil {
		return Answer{}, err
	}
	data := view.ConfigData{Path: path, Config: config}
	return answer(view.Config, data, func(u *ui.UI) { u.Print("wrote %s, room %s", ui.Escape(path), config.WorkspaceID) }), nil
}

// newConfig names a room after its directory, with enough chance in it that two directories of one name
// do not meet.
func newConfig(name string) workspace.Config {
	var chance [4]byte
	_, _ = rand.Read(chance[:]) // never fails, by its documentation
	slug := strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, name), "-._")
	if slug == "" {
		slug = "room"
	}
	return workspace.Config{WorkspaceID: slug[:min(len(slug), 40)] + "-" + hex.EncodeToString(chance[:]), DisplayName: name, Roots: []string{"."}}
}

// nobodyAttached refuses while sessions are here: they would stay behind in the room that this
// directory has now.
func nobodyAttached(ctx context.Context, inv *Invocation) error {
	r, err := inv.Room(ctx)
	if err != nil {
		return err
	}
	status, err := r.Core.Status(ctx, core.StatusQuery{})
	if err != nil {
		return err
	}
	var names []string
	for _, s := range status.Sessions {
		if s.Presence != protocol.Offline { // who left is listed too, while mail waits for them
			names = append(names, s.ParticipantID)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return protocol.ConflictError(protocol.ReasonSessionLive, "sessions are attached here and would stay in the old room: "+strings.Join(names, ", ")).
		With("participants", names).WithHint("end them first, or add --force")
}

func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	if err != nil {
		return protocol.DataError("", "cannot write the configuration: "+err.Error()).Because(err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return protocol.DataError("", fmt.Sprintf("cannot write %s: %v", path, err)).Because(err)
	}
	return nil
}

func exists(path string) error {
	return protocol.ConflictError(protocol.ReasonConfigExists, path+" is already there").WithHint("acc config validate checks it")
}

func configValidateCommand() *Definition {
	return &Definition{
		Command: argv.Command{
			Name: "validate", Summary: "check " + workspace.ConfigName + " in the selected directory",
			Notes: []string{"Looks in that directory only, not in its parents."},
		},
		Run: func(_ context.Context, inv *Invocation, _ *flags.Context) (Answer, error) {
			return runConfigValidate(inv)
		},
	}
}

// againHint is what an unusable configuration is answered with everywhere else.
const againHint = "acc config validate"

func runConfigValidate(inv *Invocation) (Answer, error) {
	dir, err := inv.Cwd()
	if err != nil {
		return Answer{}, err
	}
	path := filepath.Join(dir, workspace.ConfigName)
	config, err := workspace.LoadConfig(path)
	if err != nil {
		e := classify(err)
		if e.Hint == againHint { // it is what just ran
			e = e.WithHint("edit " + path + ", then " + againHint)
		}
		return Answer{}, e
	}
	data := view.ConfigData{Path: path, Config: config}
	return answer(view.Config, data, func(u *ui.UI) { u.Print("%s is valid, room %s", ui.Escape(path), config.WorkspaceID) }), nil
}
