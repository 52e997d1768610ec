package installkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
	"github.com/acc-control-plane/acc/protocol"
)

// transaction applies a draft: the record first, so that a crash leaves nothing unknown, then the
// files, then the record again.
type transaction struct {
	ledger  *ledger
	draft   *draft
	had     installation // what the record said before; the zero value: nothing
	dirs    []string     // to make, whether or not anything comes into them
	markers []string     // what the client puts into acc's directories
	// verify asks the client whether its configuration is good; nil: it cannot be asked.
	verify func(ctx context.Context) error
}

func (t *transaction) apply(ctx context.Context) error {
	if t.verify != nil {
		if err := t.verify(ctx); err != nil {
			return protocol.DataError("", "the client refuses its configuration as it is, so acc leaves it alone: "+oneLine(err)).Because(err).
				WithHint("mend what the client names, then run the command again")
		}
	}
	was := t.ledger.was
	pending := t.union()
	if err := t.ledger.put(pending); err != nil {
		return err
	}
	var done []step
	var made []string
	err := t.sweep()
	if err == nil {
		done, made, err = t.run(ctx)
	}
	if err == nil && t.verify != nil {
		if err = t.verify(ctx); err != nil {
			err = protocol.DataError("", "the client refuses its configuration with acc in it, so acc took everything back: "+oneLine(err)).Because(err)
		}
	}
	if err == nil {
		t.clear()
		return t.ledger.put(t.draft.next)
	}
	if back := t.rollBack(done, made); back != nil {
		return protocol.DataError("", err.Error()+"; and what was done could not be taken back: "+back.Error()).Because(err).
			WithHint("run acc doctor")
	}
	if back := t.ledger.restore(was); back != nil {
		return errors.Join(err, back)
	}
	return err
}

// oneLine gives the text of an error without its line ends.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// union is what may be there at any moment between before and after.
func (t *transaction) union() installation {
	all := t.draft.next
	all.Unfinished = true
	all.Files = slices.Clone(all.Files)
	for _, f := range t.had.Files {
		if all.file(f.Path) == nil {
			all.Files = append(all.Files, f)
		}
	}
	return all
}

// sweep removes what an installation that was killed left half written.
func (t *transaction) sweep() error {
	if !t.had.Unfinished {
		return nil
	}
	swept := map[string]bool{}
	for _, f := range t.union().Files {
		if dir := filepath.Dir(f.Path); !swept[dir] {
			swept[dir] = true
			if err := userfile.Sweep(t.had.Root, f.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// run makes the changes and says which were made.
func (t *transaction) run(ctx context.Context) (done []step, made []string, err error) {
	for _, s := range t.draft.steps {
		if err := ctx.Err(); err != nil {
			return done, made, protocol.TimeoutError("", "the time ran out before "+s.path+" was written").Because(err)
		}
		if !s.after.Exists {
			err = userfile.Remove(s.root, s.path, s.before)
		} else {
			var dirs []string
			dirs, err = userfile.Write(s.root, s.path, s.before, s.after.Data)
			made = append(made, dirs...)
		}
		if err != nil {
			return done, made, err
		}
		done = append(done, s)
	}
	for _, dir := range t.dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return done, made, protocol.DataError("", "cannot make "+dir+": "+err.Error()).Because(err)
		}
	}
	return done, made, nil
}

// rollBack takes the changes back, the last one first.
func (t *transaction) rollBack(done []step, made []string) error {
	var problems []error
	for _, s := range slices.Backward(done) {
		problems = append(problems, userfile.Restore(s.root, s.path, s.after, s.before))
	}
	for _, dir := range slices.Backward(made) {
		_, err := userfile.RemoveDir(dir)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// clear removes directories that acc made and that hold nothing but what the client itself put there.
// When no file is left, a directory that stays has become somebody else's.
func (t *transaction) clear() {
	dirs := slices.Clone(t.draft.next.Directories)
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		if slices.Contains(t.dirs, dir) {
			continue
		}
		t.clearMarkers(dir)
		if gone, err := userfile.RemoveDir(dir); gone && err == nil {
			t.draft.next.Directories = slices.DeleteFunc(t.draft.next.Directories, func(d string) bool { return d == dir })
		}
	}
	if len(t.draft.next.Files) == 0 {
		t.draft.next.Directories = nil
	}
}

// clearMarkers removes the client's markers from dir if nothing else is in it.
func (t *transaction) clearMarkers(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return
	}
	for _, e := range entries {
		if !slices.Contains(t.markers, e.Name()) {
			return
		}
	}
	for _, e := range entries {
		_ = os.RemoveAll(filepath.Join(dir, e.Name())) // follows no link
	}
}
