package installkit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/jsonedit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
	"github.com/acc-control-plane/acc/protocol"
)

// step is one file from what it is to what it shall be.
type step struct {
	root, path    string
	before, after userfile.File
}

// draft collects a plan: the steps and the record that they lead to.
type draft struct {
	root  string
	steps []step
	plan  adapter.Plan
	next  installation
	made  []string // directories that the steps make
	dirs  bool     // one of the wanted directories is missing
}

func (p *draft) change(s step, action adapter.FileAction, details []string) error {
	if s.before.Same(s.after) {
		return nil
	}
	if s.after.Exists {
		missing, err := userfile.Missing(s.root, s.path)
		if err != nil {
			return err
		}
		p.mark(missing)
	}
	p.steps = append(p.steps, s)
	p.plan.Changes = append(p.plan.Changes, adapter.FileChange{Path: s.path, Action: action, Details: details})
	return nil
}

func (p *draft) mark(dirs []string) {
	for _, dir := range dirs {
		if !slices.Contains(p.made, dir) {
			p.made = append(p.made, dir)
		}
	}
}

// install drafts the way from what is there to what is wanted.
func install(m adapter.Machine, root string, had *installation, w Wants) (*draft, error) {
	p := &draft{root: root}
	p.plan.Steps, p.plan.Notes = w.Steps, slices.Clone(w.Notes)
	if had != nil {
		p.next.Directories = slices.Clone(had.Directories)
	} else {
		had = &installation{}
	}
	var err error
	if w.Edits, err = p.requested(m.Indicator, had, w); err != nil {
		return nil, err
	}
	if err := p.own(had, w); err != nil {
		return nil, err
	}
	for _, f := range w.Edits {
		if err := p.edit(had, f, w.Mark); err != nil {
			return nil, err
		}
	}
	if err := p.outdated(had, w); err != nil {
		return nil, err
	}
	for _, dir := range w.Dirs {
		missing, err := userfile.Missing(m.Data, filepath.Join(dir, "file"))
		if err != nil {
			return nil, err
		}
		p.mark(slices.DeleteFunc(missing, func(d string) bool { return len(d) <= len(m.Data) }))
		p.dirs = p.dirs || len(missing) > 0
	}
	for _, dir := range p.made {
		if !slices.Contains(p.next.Directories, dir) {
			p.next.Directories = append(p.next.Directories, dir)
		}
	}
	return p, nil
}

// own drafts acc's own files. A file that is there without a record is replaced only if an earlier
// installation of this data home left it.
func (p *draft) own(had *installation, w Wants) error {
	before := make([]userfile.File, len(w.Files))
	left := false
	for i, f := range w.Files {
		var err error
		if before[i], err = userfile.Read(p.root, f.Path); err != nil {
			return err
		}
		ours, _ := editor{mark: w.Mark}.owned(string(before[i].Data))
		left = left || ours && before[i].Exists
	}
	for i, f := range w.Files {
		now, after := before[i], userfile.File{Exists: true, Data: f.Data}
		rec := had.file(f.Path)
		action, details := adapter.CreateFile, []string(nil)
		switch {
		case !now.Exists:
		case rec == nil && !left && !bytes.Equal(now.Data, f.Data):
			return foreignFile(f.Path, now.Data)
		default:
			action = adapter.ReplaceFile
			if rec != nil && rec.SHA256 != "" && rec.SHA256 != digest(now.Data) && !bytes.Equal(now.Data, f.Data) {
				details = []string{"it was changed after acc wrote it"}
			}
		}
		if err := p.change(step{p.root, f.Path, now, after}, action, details); err != nil {
			return err
		}
		p.next.Files = append(p.next.Files, fileRecord{Path: f.Path, SHA256: digest(f.Data)})
	}
	return nil
}

func foreignFile(path string, data []byte) error {
	if _, foreign := (editor{}).owned(string(data)); foreign {
		return refused(path, errRival)
	}
	return protocol.ConflictError("", path+" is there already and acc did not write it; acc leaves it as it is").
		WithHint("move " + path + " away, then run the command again")
}

// edit drafts the edits of one file of the user.
func (p *draft) edit(had *installation, f UserFile, mark string) error {
	now, err := userfile.Read(p.root, f.Path)
	if err != nil {
		return err
	}
	var edits []editRecord
	created := !now.Exists
	if rec := had.file(f.Path); rec != nil && rec.Format != "" {
		edits, created = rec.Edits, rec.Created || created
	}
	m, err := f.merged(mark, now.Data, edits)
	if err != nil {
		return err
	}
	action := adapter.EditFile
	if !now.Exists {
		action = adapter.CreateFile
	}
	p.noteAll(f.Path, m)
	if err := p.change(step{p.root, f.Path, now, userfile.File{Exists: true, Data: m.text}}, action, m.details); err != nil {
		return err
	}
	p.next.Files = append(p.next.Files, fileRecord{Path: f.Path, Format: f.Format, Created: created, Edits: m.edits})
	return nil
}

// merged brings the text of the file up to date.
func (f UserFile) merged(mark string, doc []byte, had []editRecord) (merged, error) {
	if f.NoMark && bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
		return merged{}, refused(f.Path, &jsonedit.SyntaxError{Line: 1, Problem: "it starts with a byte order mark, which this client's reader refuses"})
	}
	return merge(editor{f.Format, mark}, f.Path, doc, had, f.Edits)
}

func (p *draft) noteAll(path string, m merged) {
	p.plan.Notes = append(p.plan.Notes, m.notes...)
	for _, reason := range m.kept {
		p.plan.Kept = append(p.plan.Kept, adapter.KeptFile{Path: path, Reason: reason})
	}
}

// outdated drafts the removal of what an earlier version wrote and this one does not want.
func (p *draft) outdated(had *installation, w Wants) error {
	for _, rec := range had.Files {
		if p.next.file(rec.Path) != nil {
			continue
		}
		if err := p.removeFile(rec, w.Mark, false); err != nil {
			return err
		}
	}
	return nil
}

// removal drafts the way back.
func removal(had installation, mark string, changedToo bool, busy func(path string) string) (*draft, error) {
	p := &draft{root: had.Root}
	for i := len(had.Files) - 1; i >= 0; i-- {
		rec := had.Files[i]
		if reason := busy(rec.Path); reason != "" && rec.SHA256 != "" {
			p.keep(rec, reason)
			continue
		}
		if err := p.removeFile(rec, mark, changedToo); err != nil {
			return nil, err
		}
	}
	slices.Reverse(p.next.Files)
	p.next.Directories = had.Directories
	return p, nil
}

func (p *draft) keep(rec fileRecord, reason string) {
	p.plan.Kept = append(p.plan.Kept, adapter.KeptFile{Path: rec.Path, Reason: reason})
	p.next.Files = append(p.next.Files, rec)
}

// removeFile drafts the removal of one file of the record, or of the edits in it.
func (p *draft) removeFile(rec fileRecord, mark string, changedToo bool) error {
	now, err := userfile.Read(p.root, rec.Path)
	if err != nil {
		return err
	}
	if !now.Exists {
		return nil
	}
	if rec.SHA256 != "" {
		if rec.SHA256 != digest(now.Data) && !changedToo {
			p.keep(rec, "it was changed after acc wrote it")
			return nil
		}
		return p.change(step{p.root, rec.Path, now, userfile.File{}}, adapter.RemoveFile, nil)
	}
	m, err := takeBack(editor{rec.Format, mark}, rec.Path, now.Data, rec.Edits, changedToo)
	if err != nil {
		return err
	}
	p.noteAll(rec.Path, m)
	if len(m.edits) > 0 {
		rec.Edits = m.edits
		p.next.Files = append(p.next.Files, rec)
	}
	after := userfile.File{Exists: true, Data: m.text}
	if rec.Created && len(strings.TrimSpace(string(m.text))) == 0 {
		return p.change(step{p.root, rec.Path, now, userfile.File{}}, adapter.RemoveFile, m.details)
	}
	return p.change(step{p.root, rec.Path, now, after}, adapter.EditFile, m.details)
}

// file gives the record of a path, or nil.
func (i *installation) file(path string) *fileRecord {
	for k := range i.Files {
		if i.Files[k].Path == path {
			return &i.Files[k]
		}
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
