// Package nativeworkspace remembers the room of each hooked session, so that a changed directory never
// moves a session to another room. The records carry routing only, never a credential.
//
// One file per session, acc/native-workspaces/<64 hex>.json in the data home, named like the session's
// acc:// reference. It is written once, by the first hook that may, and stays when the session ends, so
// that a resumed conversation finds its room; only that of a session that nobody ever shared a room with
// is forgotten (Forget). What it says is checked against the directory each time.
// Start at Establish; record.go has the file.
package nativeworkspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

// Session names a hooked session.
type Session struct {
	AdapterID string
	NativeID  string // the client's own session id
}

// Ref is the acc:// reference of the session's room.
func (s Session) Ref() string { return protocol.RoomRef(s.AdapterID, s.NativeID) }

// Saved is the room a session started in.
type Saved struct {
	Session
	Cwd       string // absolute, canonical: where discovery starts again
	Workspace workspace.Descriptor
}

// Establish resolves the saved room of s, or saves the one found at cwd when none was saved yet and
// create is set. With create unset and nothing saved, found is false.
//
// cwd (absolute) is where the client is now. For a saved room it only selects the checkout: in another
// worktree of the same repository Workspace.Git is that worktree's; no other directory changes
// anything. For a new room ACC_WORKSPACE_ROOT takes its place.
//
// Of several hooks at once the first to publish wins and the others get its room. A room that would
// contain acc's data is refused and not saved. Errors: Code Conflict with ReasonWorkspaceChanged when
// the directory is another room now; Code Data for a record that cannot be used; those of
// workspace.Discover and CheckContainment. The caller lets the client go on.
func Establish(ctx context.Context, home datahome.Home, env datahome.Env, s Session, cwd string, create bool) (saved Saved, found bool, err error) {
	if err := s.check(); err != nil {
		return Saved{}, false, err
	}
	saved, found, err = load(home, s.Ref())
	if err == nil && !found {
		if !create {
			return Saved{}, false, nil
		}
		saved, err = publish(ctx, home, env, s, cwd)
	}
	if err != nil {
		return Saved{}, false, err
	}
	if cwd != saved.Cwd {
		saved.Workspace = saved.Workspace.At(cwd)
	}
	return saved, true, nil
}

// Lookup resolves an acc:// reference to its saved room. Errors: Code Usage for what is no reference,
// Code Data with ReasonNotFound for one that nothing is saved under, and those of Establish.
func Lookup(ctx context.Context, home datahome.Home, _ datahome.Env, ref string) (Saved, error) {
	if _, ok := key(ref); !ok {
		return Saved{}, protocol.UsageError("", fmt.Sprintf("%q is not a room: acc:// and 64 hexadecimal digits", ref))
	}
	if err := expired(ctx); err != nil {
		return Saved{}, err
	}
	saved, found, err := load(home, ref)
	if err == nil && !found {
		return Saved{}, protocol.DataError(protocol.ReasonNotFound, "no session is known by the room "+ref).
			WithHint("use the --workspace value that the session's own header shows")
	}
	return saved, err
}

// load reads the record of a reference, if there is one, and discovers its room again.
func load(home datahome.Home, ref string) (saved Saved, found bool, err error) {
	path := file(home, ref)
	data, err := privatefile.ReadBelow(home.Root, path, maxRecordBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return Saved{}, false, nil
	}
	if err != nil {
		return Saved{}, false, err
	}
	r, s, err := recordOf(path, ref, data)
	if err != nil {
		return Saved{}, false, err
	}
	d, err := workspace.Rediscover(r.cwd, r.room())
	if err != nil {
		return Saved{}, false, err
	}
	return Saved{Session: s, Cwd: r.cwd, Workspace: d}, true, nil
}

// recordOf decodes the record of a reference.
func recordOf(path, ref string, data []byte) (record, Session, error) {
	r, err := decode(path, data)
	if err != nil {
		return record{}, Session{}, err
	}
	s := Session{AdapterID: r.adapterID, NativeID: r.nativeSessionID}
	if s.Ref() != ref {
		return record{}, Session{}, protocol.DataError(protocol.ReasonMalformed, path+" is the record of another session")
	}
	return r, s, nil
}

// Damage is a file that stands in the place of a saved room and is none.
type Damage struct {
	Path string
	Err  error
}

// Damaged gives the saved rooms of a data home that cannot be read, for diagnosis: hooks of their sessions do
// nothing. The error is for a directory that cannot be listed.
func Damaged(home datahome.Home) ([]Damage, error) {
	dir := home.NativeWorkspaces()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, protocol.DataError("", "cannot list "+dir).Because(err)
	}
	var all []Damage
	for _, e := range entries {
		name, isRecord := strings.CutSuffix(e.Name(), ".json")
		if _, ok := key(protocol.RoomScheme + name); !isRecord || !ok {
			continue
		}
		path := filepath.Join(dir, e.Name())
		data, err := privatefile.ReadBelow(home.Root, path, maxRecordBytes)
		if err == nil {
			_, _, err = recordOf(path, protocol.RoomScheme+name, data)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, Damage{path, err})
		}
	}
	return all, nil
}

// publish saves the room found at cwd, unless somebody else was faster.
func publish(ctx context.Context, home datahome.Home, env datahome.Env, s Session, cwd string) (Saved, error) {
	if env == nil {
		env = os.Getenv
	}
	dir := cwd
	if root := env(workspace.RootVariable); root != "" {
		dir = root
	}
	if dir == "" {
		return Saved{}, protocol.UsageError("", "the client did not say in which directory it is")
	}
	d, err := workspace.Discover(workspace.Request{Dir: dir})
	if err != nil {
		return Saved{}, err
	}
	if err := d.CheckContainment(home); err != nil {
		return Saved{}, err
	}
	data, err := encode(s, d)
	if err != nil {
		return Saved{}, err
	}
	if err := expired(ctx); err != nil {
		return Saved{}, err
	}
	for {
		err := privatefile.WriteNew(home.Root, file(home, s.Ref()), data)
		if err == nil {
			return Saved{Session: s, Cwd: d.Dir, Workspace: d}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return Saved{}, err
		}
		saved, found, err := load(home, s.Ref())
		if found || err != nil {
			return saved, err
		}
		if err := expired(ctx); err != nil { // it was forgotten between the two
			return Saved{}, err
		}
	}
}

// Forget removes what was saved of a session, for one that has ended and leaves no trace. Nothing saved is no error.
func Forget(home datahome.Home, s Session) error {
	if err := s.check(); err != nil {
		return err
	}
	return privatefile.Remove(home.Root, file(home, s.Ref()))
}

func (s Session) check() error {
	if err := protocol.CheckPortableID("adapter id", s.AdapterID); err != nil {
		return err
	}
	if s.NativeID == "" || len(s.NativeID) > maxNativeID {
		return protocol.DataError(protocol.ReasonMalformed,
			fmt.Sprintf("a session id of %s has %d bytes, not 1 to %d", s.AdapterID, len(s.NativeID), maxNativeID))
	}
	return nil
}

// file is where the record of a reference lies; ref was checked or made here.
func file(home datahome.Home, ref string) string {
	name, _ := key(ref)
	return filepath.Join(home.NativeWorkspaces(), name+".json")
}

// key cuts a reference down to its 64 digits.
func key(ref string) (string, bool) {
	const digits = 64
	if len(ref) != len(protocol.RoomScheme)+digits || ref[:len(protocol.RoomScheme)] != protocol.RoomScheme {
		return "", false
	}
	name := ref[len(protocol.RoomScheme):]
	for _, c := range []byte(name) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return "", false
		}
	}
	return name, true
}

func expired(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return protocol.TimeoutError("", "the deadline passed before the room was known; nothing was saved").Because(err)
	}
	return nil
}
