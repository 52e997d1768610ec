package installkit

import (
	"path/filepath"
	"time"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// RecordName is the file below Machine.Data that says what this data home installed where.
const RecordName = "installs.json"

// record is the content of RecordName.
type record struct{ Clients []installation }

// installation is what one adapter did to one configuration directory.
type installation struct {
	Adapter     string
	Root        string
	Version     string // of acc
	At          time.Time
	Unfinished  bool     // written before the files are, and taken back after
	Directories []string // that were made, the outermost first
	Files       []fileRecord
}

// fileRecord is one file, either acc's own or with edits.
type fileRecord struct {
	Path    string
	SHA256  string // of acc's own file, as written
	Format  Format // of a file with edits
	Created bool   // a file with edits that was not there
	Edits   []editRecord
}

// editRecord is an edit and what it found.
type editRecord struct {
	Edit
	Undo undo
}

// undo unites what the editors need to take an edit back; each sets what it knows.
type undo struct {
	Kept     bool
	Created  int
	Replaced string
	Interior string
	Before   string
	Blank    bool
	Array    bool
	Header   bool
}

// Bounds of a record. They only keep a broken file from being taken for one of ours.
const (
	maxClients  = 64
	maxFiles    = 512
	maxEdits    = 128
	maxPath     = 4096
	maxFragment = 64 << 10
	maxRecord   = 4 << 20
)

var undoObject = &strictjson.Object[undo]{
	Name: "undo", Doc: "What an edit found, so that it can be taken back to the byte.",
	Members: func() []strictjson.Member[undo] {
		return []strictjson.Member[undo]{
			strictjson.Optional("kept", "The value was there already.", func(u *undo) *bool { return &u.Kept }, strictjson.Bool()),
			strictjson.Optional("created", "Containers that were made on the way.", func(u *undo) *int { return &u.Created }, strictjson.Int(0, 64)),
			strictjson.Optional("replaced", "Text of the value that stood in its place.", func(u *undo) *string { return &u.Replaced }, strictjson.Text(maxFragment)),
			strictjson.Optional("interior", "Text inside the empty container that received the value.", func(u *undo) *string { return &u.Interior }, strictjson.Text(maxFragment)),
			strictjson.Optional("before", "Line ends that were put in front.", func(u *undo) *string { return &u.Before }, strictjson.Text(16)),
			strictjson.Optional("blank", "The file held no value.", func(u *undo) *bool { return &u.Blank }, strictjson.Bool()),
			strictjson.Optional("array", "The array was made.", func(u *undo) *bool { return &u.Array }, strictjson.Bool()),
			strictjson.Optional("header", "The table was made.", func(u *undo) *bool { return &u.Header }, strictjson.Bool()),
		}
	},
}

var editObject = &strictjson.Object[editRecord]{
	Name: "edit", Doc: "One value in a file of the user.",
	Members: func() []strictjson.Member[editRecord] {
		return []strictjson.Member[editRecord]{
			strictjson.Field("kind", "What was put into the file.", func(e *editRecord) *Kind { return &e.Kind }, strictjson.Enum(Member, Element, Block)),
			strictjson.Field("path", "Where.", func(e *editRecord) *[]string { return &e.Path }, strictjson.List(strictjson.Text(maxPath), 1, 16)),
			strictjson.Optional("name", "Tells elements of one array apart.", func(e *editRecord) *string { return &e.Name }, strictjson.Line(100)),
			strictjson.Field("value", "What was written.", func(e *editRecord) *string { return &e.Value }, strictjson.Text(maxFragment)),
			strictjson.Optional("volatile", "Members that the client changes.", func(e *editRecord) *[]string { return &e.Volatile }, strictjson.List(strictjson.Text(maxPath), 0, 16)),
			strictjson.Optional("ours", "Nobody but acc writes such a value.", func(e *editRecord) *bool { return &e.Ours }, strictjson.Bool()),
			strictjson.Optional("sticky", "Somebody else may change it.", func(e *editRecord) *bool { return &e.Sticky }, strictjson.Bool()),
			strictjson.Optional("default", "Whoever changes it owns it.", func(e *editRecord) *bool { return &e.Default }, strictjson.Bool()),
			strictjson.Optional("indicator", "It was asked for.", func(e *editRecord) *bool { return &e.Indicator }, strictjson.Bool()),
			strictjson.Optional("events", "Client events that it wires.", func(e *editRecord) *[]string { return &e.Events }, strictjson.List(strictjson.Line(100), 0, 32)),
			strictjson.Optional("label", "What people read.", func(e *editRecord) *string { return &e.Label }, strictjson.Line(200)),
			strictjson.Field("undo", "What it found.", func(e *editRecord) *undo { return &e.Undo }, strictjson.Nested(undoObject)),
		}
	},
}

var fileObject = &strictjson.Object[fileRecord]{
	Name: "file", Doc: "One file that was written or edited.",
	Members: func() []strictjson.Member[fileRecord] {
		return []strictjson.Member[fileRecord]{
			strictjson.Field("path", "Absolute.", func(f *fileRecord) *string { return &f.Path }, strictjson.Text(maxPath)),
			strictjson.Optional("sha256", "Of a file of acc's own, as written.", func(f *fileRecord) *string { return &f.SHA256 }, strictjson.Line(64)),
			strictjson.Optional("format", "Of a file with edits.", func(f *fileRecord) *Format { return &f.Format }, strictjson.Enum(JSON, JSONC, TOML)),
			strictjson.Optional("created", "The file with edits was not there.", func(f *fileRecord) *bool { return &f.Created }, strictjson.Bool()),
			strictjson.Optional("edits", "In the order in which they were made.", func(f *fileRecord) *[]editRecord { return &f.Edits }, strictjson.List(strictjson.Nested(editObject), 0, maxEdits)),
		}
	},
	Rules: []string{"exactly one of sha256 and format is there"},
	Check: func(f *fileRecord) *strictjson.Error {
		if (f.SHA256 == "") == (f.Format == "") {
			return strictjson.Fail("$.sha256", "a file is either acc's own or has edits")
		}
		if !filepath.IsAbs(f.Path) {
			return strictjson.Fail("$.path", "is not absolute")
		}
		return nil
	},
}

var installationObject = &strictjson.Object[installation]{
	Name: "installation", Doc: "What one adapter did to one configuration directory.",
	Members: func() []strictjson.Member[installation] {
		return []strictjson.Member[installation]{
			strictjson.Field("adapter", "Its id.", func(i *installation) *string { return &i.Adapter }, strictjson.Line(40)),
			strictjson.Field("root", "The configuration directory.", func(i *installation) *string { return &i.Root }, strictjson.Text(maxPath)),
			strictjson.Field("version", "Of acc.", func(i *installation) *string { return &i.Version }, strictjson.Line(100)),
			strictjson.Field("installedAt", "When it was last changed.", func(i *installation) *time.Time { return &i.At }, strictjson.Time()),
			strictjson.Optional("unfinished", "The files may not all be as it says.", func(i *installation) *bool { return &i.Unfinished }, strictjson.Bool()),
			strictjson.Optional("directories", "That were made, the outermost first.", func(i *installation) *[]string { return &i.Directories }, strictjson.List(strictjson.Text(maxPath), 0, maxFiles)),
			strictjson.Field("files", "That were written or edited.", func(i *installation) *[]fileRecord { return &i.Files }, strictjson.List(strictjson.Nested(fileObject), 0, maxFiles)),
		}
	},
	Check: func(i *installation) *strictjson.Error {
		if !filepath.IsAbs(i.Root) {
			return strictjson.Fail("$.root", "is not absolute")
		}
		return nil
	},
}

var recordObject = &strictjson.Object[record]{
	Name: "installs", Doc: "What this data home installed into clients.", MaxBytes: maxRecord,
	Members: func() []strictjson.Member[record] {
		return []strictjson.Member[record]{
			strictjson.Const[record]("schemaVersion", "Of this file.", 1),
			strictjson.Field("clients", "One entry for each configuration directory.", func(r *record) *[]installation { return &r.Clients }, strictjson.List(strictjson.Nested(installationObject), 0, maxClients)),
		}
	},
}

// ledger is the record as it was read, with the bytes for noticing that somebody else changed it.
type ledger struct {
	dir, path string
	was       userfile.File
	record    record
}

// readLedger reads the record below dir. A missing one is empty.
func readLedger(dir string) (*ledger, error) {
	l := &ledger{dir: dir, path: filepath.Join(dir, RecordName)}
	var err error
	if l.was, err = userfile.Read(dir, l.path); err != nil || !l.was.Exists {
		return l, err
	}
	if l.record, err = recordObject.Decode(l.was.Data); err != nil {
		return nil, protocol.DataError(protocol.ReasonMalformed, l.path+": "+err.Error()).Because(err).
			WithHint("move the file away and run acc install, which finds its own files again")
	}
	return l, nil
}

// find gives the installation of an adapter below root, or nil.
func (l *ledger) find(id, root string) *installation {
	for i := range l.record.Clients {
		if c := &l.record.Clients[i]; c.Adapter == id && c.Root == root {
			return c
		}
	}
	return nil
}

// of gives all installations of an adapter.
func (l *ledger) of(id string) []installation {
	var found []installation
	for _, c := range l.record.Clients {
		if c.Adapter == id {
			found = append(found, c)
		}
	}
	return found
}

// put writes the record with inst in the place of the one for the same adapter and root; an
// installation without files and directories is left out. A record that says nothing is removed.
func (l *ledger) put(inst installation) error {
	next := record{}
	placed := false
	for _, c := range l.record.Clients {
		if c.Adapter == inst.Adapter && c.Root == inst.Root {
			c, placed = inst, true
		}
		if len(c.Files)+len(c.Directories) > 0 {
			next.Clients = append(next.Clients, c)
		}
	}
	if !placed && len(inst.Files)+len(inst.Directories) > 0 {
		next.Clients = append(next.Clients, inst)
	}
	if len(next.Clients) == 0 {
		if err := userfile.Remove(l.dir, l.path, l.was); err != nil {
			return err
		}
		l.was, l.record = userfile.File{}, next
		return nil
	}
	data, err := recordObject.AppendIndent(nil, &next)
	if err != nil {
		return protocol.DataError("", "the installation cannot be recorded: "+err.Error()).Because(err)
	}
	if _, err := userfile.Write(l.dir, l.path, l.was, data); err != nil {
		return err
	}
	l.was, l.record = userfile.File{Exists: true, Data: data, Mode: l.was.Mode}, next
	return nil
}

// restore writes the record that was read.
func (l *ledger) restore(was userfile.File) error {
	return userfile.Restore(l.dir, l.path, l.was, was)
}
