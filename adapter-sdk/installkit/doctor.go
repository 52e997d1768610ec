package installkit

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/jsonedit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/tomledit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
	"github.com/acc-control-plane/acc/protocol"
)

// versionPrefix begins the line that says which acc wrote a file.
const versionPrefix = "acc-version: "

// VersionLine is a line for a file of acc's own, from which Doctor reads which version is wired.
func VersionLine(version string) string { return versionPrefix + version }

// examine compares what is in the files with what was recorded and with what is wanted.
func examine(out *adapter.Diagnosis, root string, had installation, w Wants) {
	for _, rec := range had.Files {
		again := "acc install --adapter " + had.Adapter
		now, err := userfile.Read(root, rec.Path)
		if err != nil {
			out.Problems = append(out.Problems, adapter.Problem{Text: err.Error(), Remedy: hintOf(err)})
			continue
		}
		if err := installable(rec, now.Data, w); err != nil {
			step := hintOf(err)
			if protocol.CodeOf(err) == protocol.Data {
				step = "mend " + rec.Path + ", then " + again
			}
			out.Modified = append(out.Modified, rec.Path)
			out.Problems = append(out.Problems, adapter.Problem{Text: err.Error(), Remedy: step})
			continue
		}
		switch stands, what := standing(rec, now, w.Mark); {
		case stands == same:
			out.Intact = append(out.Intact, rec.Path)
		case stands == absent:
			out.Missing = append(out.Missing, rec.Path)
			out.Problems = append(out.Problems, adapter.Problem{Text: rec.Path + " lacks " + what, Remedy: again})
		default:
			if what == "" { // an entry that may hold more than acc's by now; installing leaves it
				again = "take acc's entry out of " + rec.Path + ", then " + again
			}
			out.Modified = append(out.Modified, rec.Path)
			out.Problems = append(out.Problems, adapter.Problem{Text: rec.Path + " was changed after acc wrote it" + unwired(rec.Path, now.Data, w), Remedy: again})
		}
		if v := versionIn(now.Data); rec.SHA256 != "" && v != "" {
			out.Wired = v
		}
	}
	for _, f := range w.Files {
		if f.Copy {
			continue
		}
		now, err := userfile.Read(root, f.Path)
		good := err == nil && now.Exists && bytes.Equal(now.Data, f.Data)
		for _, event := range f.Events {
			wire(out, event, good || err == nil && editor{JSON, w.Mark}.wires(now.Data, nil, event))
		}
	}
	for _, f := range w.Edits {
		now, err := userfile.Read(root, f.Path)
		d := editor{f.Format, w.Mark}
		for _, e := range f.Edits {
			stands, lookErr := d.look(now.Data, e)
			good := err == nil && lookErr == nil && stands == same
			if e.Indicator && err == nil && lookErr == nil {
				out.Indicator = shown(stands, d.recorded(now.Data, had.edit(f.Path, e)))
			}
			for _, event := range e.Events {
				wire(out, event, good || err == nil && stands == changed && d.wires(now.Data, e.Path, event))
			}
		}
	}
	if out.Unfinished {
		out.Problems = append(out.Problems, adapter.Problem{Text: "an installation was interrupted", Remedy: "acc install --adapter " + had.Adapter})
	}
}

// installable says why installing again would refuse a file with edits as it is.
func installable(rec fileRecord, doc []byte, w Wants) error {
	i := slices.IndexFunc(w.Edits, func(f UserFile) bool { return f.Path == rec.Path })
	if rec.Format == "" || i < 0 {
		return nil
	}
	f := w.Edits[i]
	f.Edits = slices.DeleteFunc(slices.Clone(f.Edits), func(e Edit) bool { return e.Indicator })
	_, err := f.merged(w.Mark, doc, rec.Edits)
	return err
}

// unwired says at which events of a file of acc's own nothing of acc stands any more.
func unwired(path string, data []byte, w Wants) string {
	i := slices.IndexFunc(w.Files, func(f File) bool { return f.Path == path })
	if i < 0 {
		return ""
	}
	gone := slices.DeleteFunc(slices.Clone(w.Files[i].Events), func(event string) bool { return editor{JSON, w.Mark}.wires(data, nil, event) })
	if len(gone) == 0 {
		return ""
	}
	return "; it has no hook of acc at " + strings.Join(gone, ", ")
}

// hintOf gives the next step that an error names; "": none.
func hintOf(err error) string {
	var e *protocol.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// wire notes an event, which several handlers may wire.
func wire(out *adapter.Diagnosis, event string, good bool) {
	state := adapter.Written
	if !good {
		state = adapter.Unwritten
	}
	i := slices.IndexFunc(out.Hooks, func(w adapter.Wiring) bool { return w.Event == event })
	switch {
	case i < 0:
		out.Hooks = append(out.Hooks, adapter.Wiring{Event: event, State: state})
	case !good:
		out.Hooks[i].State = state
	}
}

// standing tells how a recorded file is now, and what is missing or changed. Of a changed element it
// says nothing.
func standing(rec fileRecord, now userfile.File, mark string) (stands presence, what string) {
	if rec.SHA256 != "" {
		switch {
		case !now.Exists:
			return absent, "the whole file"
		case digest(now.Data) != rec.SHA256:
			return changed, "the file"
		}
		return same, ""
	}
	stands = same
	for _, r := range rec.Edits {
		found, err := editor{rec.Format, mark}.look(now.Data, r.Edit)
		switch {
		case r.Undo.Kept, r.Indicator && found != same, err == nil && found == changed && (r.Sticky || r.Default):
		case err == nil && found == changed && r.Kind == Element:
			return changed, ""
		case err != nil || found == changed || found == rival:
			return changed, r.label()
		case found == absent:
			stands, what = absent, r.label()
		}
	}
	return stands, what
}

// versionIn finds the version line of a file.
func versionIn(data []byte) string {
	_, rest, ok := strings.Cut(string(data), versionPrefix)
	if !ok {
		return ""
	}
	version := strings.FieldsFunc(rest, func(r rune) bool { return r <= ' ' || r == '"' })
	if len(version) == 0 {
		return ""
	}
	return version[0]
}

// wires says whether a text that is not as acc wrote it still calls acc at an event: in JSON below the path
// of an edit or among the hooks, in TOML in a table of any list of tables that names the event.
func (d editor) wires(doc []byte, path []string, event string) bool {
	if d.format == TOML {
		root, _, err := tomledit.Get(doc)
		lists, ok := root.(map[string]any)
		if err != nil || !ok {
			return false
		}
		for _, list := range lists {
			entries, _ := list.([]any)
			if slices.ContainsFunc(entries, func(entry any) bool { return d.tableWires(entry, event) }) {
				return true
			}
		}
		return false
	}
	for _, parent := range [][]string{path, {"hooks"}} {
		value, found, err := jsonedit.Get(doc, d.dialect(), append(slices.Clone(parent), event)...)
		if ours, _ := d.owned(string(value)); err == nil && found && ours {
			return true
		}
	}
	return false
}

// tableWires says whether a table of TOML has a command of acc, and a member that is the event or lists it.
func (d editor) tableWires(table any, event string) bool {
	members, _ := table.(map[string]any)
	calls, named := false, false
	for _, value := range members {
		text, _ := value.(string)
		list, _ := value.([]any)
		ours, _ := d.owned(text)
		calls = calls || ours
		named = named || text == event || slices.Contains(list, any(event))
	}
	return calls && named
}
