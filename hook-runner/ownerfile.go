package hookrunner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/nativeworkspace"
	"github.com/acc-control-plane/acc/storage-filesystem/privatefile"
)

// ownerFiles are the private files of one conversation, siblings of its room's store:
//
//	bindings/<32 hex>.json            the owner pair in use
//	bindings/<32 hex>.<ref>.json      the pair that follows the generation with this reference
//	bindings/<32 hex>.shown.json      what the model was told before
//	bindings/<32 hex>.lock            held while it is being told something
//	bindings/<32 hex>.fired.json      which hooks ran, when last, and what became of guarded writes
//
// A pair is only ever published by a write that does not replace, so that of several hooks of one
// conversation exactly one decides, without a lock that a killed hook could leave behind.
type ownerFiles struct {
	tree    *privatefile.Tree
	fs      vfs.FS
	base    string // the data home
	dir     string // of the store
	stem    string // path without the endings above
	session nativeworkspace.Session
}

const bindingsDir = "bindings"

// stemHex is how many hex digits of the room reference name a conversation's files.
const stemHex = 32

func newOwnerFiles(files vfs.FS, base, storeDir string, s nativeworkspace.Session) ownerFiles {
	ref := protocol.RoomRef(s.AdapterID, s.NativeID)[len(protocol.RoomScheme):]
	return ownerFiles{
		tree: privatefile.Below(base), fs: files, base: base, dir: storeDir,
		stem: filepath.Join(storeDir, bindingsDir, ref[:stemHex]), session: s,
	}
}

// name is relative to the store's directory.
func (f ownerFiles) name(ending string) string {
	return bindingsDir + "/" + filepath.Base(f.stem) + ending
}

func (f ownerFiles) current() string { return f.stem + ".json" }
func (f ownerFiles) shown() string   { return f.stem + shownEnding }
func (f ownerFiles) after(o core.Owner) string {
	return f.stem + "." + protocol.GenerationRef(o.Generation) + ".json"
}

// binding is the content of an owner file.
type binding struct {
	adapterID, nativeID   string
	sessionID, generation string
}

const maxBindingBytes = 16 << 10

var bindings = &strictjson.Object[binding]{
	Name: "owner binding", Doc: "The owner pair of a conversation; written before its session is opened.",
	MaxBytes: maxBindingBytes,
	Members: func() []strictjson.Member[binding] {
		return []strictjson.Member[binding]{
			strictjson.Const[binding]("schemaVersion", "always 1", 1),
			strictjson.Field("adapterId", "adapter", func(b *binding) *string { return &b.adapterID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("harnessSessionId", "the client's own id", func(b *binding) *string { return &b.nativeID }, strictjson.Line(protocol.MaxLine+12)),
			strictjson.Field("accSessionId", "session", func(b *binding) *string { return &b.sessionID }, strictjson.Line(protocol.MaxIDLength)),
			strictjson.Field("generation", "owner credential", func(b *binding) *string { return &b.generation }, strictjson.Line(protocol.MaxIDLength)),
		}
	},
}

// owner gives the pair in use. A file that cannot be read as one is an error, never an absent one: a
// second session must not appear because the first one's file is damaged.
func (f ownerFiles) owner() (o core.Owner, found bool, err error) { return f.read(f.current()) }

func (f ownerFiles) read(path string) (o core.Owner, found bool, err error) {
	data, err := f.tree.Read(path, maxBindingBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return core.Owner{}, false, nil
	}
	if err != nil {
		return core.Owner{}, false, err
	}
	b, err := bindings.Decode(data)
	if err != nil {
		return core.Owner{}, false, advised(err, damaged)
	}
	if b.adapterID != f.session.AdapterID || b.nativeID != f.session.NativeID {
		return core.Owner{}, false, advised(errForeignBinding, damaged)
	}
	return core.Owner{SessionID: b.sessionID, Generation: b.generation}, true, nil
}

var errForeignBinding = errors.New("the owner binding is another conversation's")

// begin publishes the first pair of a conversation; a pair that is there already stays.
func (f ownerFiles) begin(o core.Owner) error { return f.publish(f.current(), o) }

// succeed makes next, or whatever pair another hook chose first, follow old as the pair in use. Nothing follows a pair
// that is not in use any more: the files of the conversation may have vanished with its room, and what another hook
// began since must not be taken from it.
func (f ownerFiles) succeed(old, next core.Owner) error {
	if current, found, err := f.owner(); err != nil || !found || current != old {
		return err
	}
	after := f.after(old)
	if err := f.publish(after, next); err != nil {
		return err
	}
	chosen, found, err := f.read(after)
	if err != nil || !found {
		return err
	}
	data, err := f.encode(chosen)
	if err != nil {
		return err
	}
	return f.tree.Write(f.current(), data)
}

func (f ownerFiles) publish(path string, o core.Owner) error {
	data, err := f.encode(o)
	if err != nil {
		return err
	}
	if err := f.tree.WriteNew(path, data); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func (f ownerFiles) encode(o core.Owner) ([]byte, error) {
	return bindings.AppendIndent(nil, &binding{
		adapterID: f.session.AdapterID, nativeID: f.session.NativeID, sessionID: o.SessionID, generation: o.Generation,
	})
}

// forget drops what the model was told: the next turn begins a new context.
func (f ownerFiles) forget() { _ = f.tree.Remove(f.shown()) }

// names gives every file of the conversation, below the directory of the store.
func (f ownerFiles) names() (names []string) {
	listed, _ := os.ReadDir(filepath.Dir(f.stem)) // one that cannot be read is no longer there
	for _, e := range listed {
		if strings.HasPrefix(e.Name(), filepath.Base(f.stem)+".") {
			names = append(names, bindingsDir+"/"+e.Name())
		}
	}
	return names
}
