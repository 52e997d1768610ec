package installkit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
)

// versionPrefix begins the line that says which acc wrote a file.
const versionPrefix = "acc-version: "

// VersionLine is a line for a file of acc's own, from which Doctor reads which version is wired.
func VersionLine(version string) string { return versionPrefix + version }

// examine compares what is in the files with what was recorded and with what is wanted.
func examine(out *adapter.Diagnosis, root string, had installation, w Wants) {
	for _, rec := range had.Files {
		now, err := userfile.Read(root, rec.Path)
		if err != nil {
			out.Problems = append(out.Problems, adapter.Problem{Text: err.Error()})
			continue
		}
		switch standing(rec, now, w.Mark) {
		case same:
			out.Intact = append(out.Intact, rec.Path)
		case absent:
			out.Missing = append(out.Missing, rec.Path)
		default:
			out.Modified = append(out.Modified, rec.Path)
		}
		if v := versionIn(now.Data); rec.SHA256 != "" && v != "" {
			out.Wired = v
		}
	}
	for _, f := range w.Files {
		now, err := userfile.Read(root, f.Path)
		good := err == nil && now.Exists && bytes.Equal(now.Data, f.Data)
		for _, event := range f.Events {
			wire(out, event, good)
		}
	}
	for _, f := range w.Edits {
		now, err := userfile.Read(root, f.Path)
		for _, e := range f.Edits {
			stands, lookErr := editor{f.Format, w.Mark}.look(now.Data, e)
			for _, event := range e.Events {
				wire(out, event, err == nil && lookErr == nil && stands == same)
			}
		}
	}
	if len(out.Missing)+len(out.Modified) > 0 {
		out.Problems = append(out.Problems, adapter.Problem{Text: "files or values that acc wrote are changed or gone", Remedy: "acc install --adapter " + had.Adapter})
	}
	if out.Unfinished {
		out.Problems = append(out.Problems, adapter.Problem{Text: "an installation was interrupted", Remedy: "acc install --adapter " + had.Adapter})
	}
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

// standing tells how a recorded file is now.
func standing(rec fileRecord, now userfile.File, mark string) presence {
	if rec.SHA256 != "" {
		switch {
		case !now.Exists:
			return absent
		case digest(now.Data) != rec.SHA256:
			return changed
		}
		return same
	}
	worst := same
	for _, r := range rec.Edits {
		stands, err := editor{rec.Format, mark}.look(now.Data, r.Edit)
		switch {
		case err == nil && stands == changed && r.Sticky:
		case err != nil || stands == changed || stands == rival:
			return changed
		case stands == absent:
			worst = absent
		}
	}
	return worst
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
