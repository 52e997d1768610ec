package installkit

import (
	"errors"
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/block"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/jsonedit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/tomledit"
	"github.com/acc-control-plane/acc/protocol"
)

// merged is what becomes of one file with edits.
type merged struct {
	text    []byte
	edits   []editRecord
	details []string // what changes, for people
	kept    []string // what stays although it should go, and why
	notes   []string
}

// merge brings the edits of one file up to date: had is what was recorded, want is what should be.
// Values that stand where they belong are not moved, because clients remember their position.
func merge(d editor, path string, doc []byte, had []editRecord, want []Edit) (merged, error) {
	if err := d.check(doc); err != nil {
		return merged{}, refused(path, err)
	}
	m := merged{text: doc, edits: slices.Clone(had)}
	for i := len(m.edits) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(want, m.edits[i].same) {
			if err := m.drop(d, i, false); err != nil {
				return merged{}, refused(path, err)
			}
		}
	}
	for _, e := range want {
		if err := m.settle(d, path, e); err != nil {
			return merged{}, refused(path, err)
		}
	}
	return m, nil
}

// takeBack removes all edits of one file.
func takeBack(d editor, path string, doc []byte, had []editRecord, changedToo bool) (merged, error) {
	if err := d.check(doc); err != nil {
		return merged{}, refused(path, err)
	}
	m := merged{text: doc, edits: slices.Clone(had)}
	for i := len(m.edits) - 1; i >= 0; i-- {
		if err := m.drop(d, i, changedToo); err != nil {
			return merged{}, refused(path, err)
		}
	}
	return m, nil
}

// settle makes e stand in the text.
func (m *merged) settle(d editor, path string, e Edit) error {
	i := slices.IndexFunc(m.edits, func(r editRecord) bool { return r.same(e) })
	if i < 0 {
		return m.add(d, path, e)
	}
	r := m.edits[i]
	stands, err := d.look(m.text, r.Edit)
	if err != nil {
		return err
	}
	now, err := d.look(m.text, e)
	if err != nil {
		return err
	}
	switch {
	case r.Undo.Kept && e.Default && now != absent:
		return nil
	case now == same:
		m.edits[i].Edit = e
		return nil
	case stands == changed && e.Default:
		m.forget(i)
		m.edits = append(m.edits, editRecord{Edit: e, Undo: undo{Kept: true}})
		return nil
	case stands == same, stands == changed && e.Kind != Element && !e.Sticky:
		if m.text, err = d.swap(m.text, r.Edit, e); err != nil {
			return err
		}
		m.edits[i].Edit = e
		m.details = append(m.details, "update "+e.label())
		return nil
	case stands == changed:
		m.notes = append(m.notes, path+": "+e.label()+" was changed after acc wrote it and stays as it is")
		return nil
	}
	m.edits = slices.Delete(m.edits, i, i+1)
	return m.add(d, path, e)
}

// add writes e where no record says that it was written before.
func (m *merged) add(d editor, path string, e Edit) error {
	stands, err := d.look(m.text, e)
	if err != nil {
		return err
	}
	switch {
	case stands == rival:
		return errRival
	case stands == same && (e.Ours || e.Kind == Block):
		m.edits = append(m.edits, editRecord{Edit: e})
		return nil
	case stands == changed && e.Default:
		m.edits = append(m.edits, editRecord{Edit: e, Undo: undo{Kept: true}})
		return nil
	case stands == changed && e.Kind == Element:
		m.notes = append(m.notes, path+": "+e.label()+" is there in another form and stays as it is")
		return nil
	case stands == changed && e.Kind == Block:
		m.text, err = d.swap(m.text, e, e)
		m.edits = append(m.edits, editRecord{Edit: e})
		m.details = append(m.details, "update "+e.label())
		return err
	}
	text, u, err := d.write(m.text, e)
	if err != nil {
		return err
	}
	if !u.Kept {
		m.details = append(m.details, "add "+e.label())
	}
	m.text, m.edits = text, append(m.edits, editRecord{Edit: e, Undo: u})
	return nil
}

// drop takes edit i out of the text and of the record. What somebody changed since stays in both,
// unless changedToo; a member that acc added goes in any case, because its name is acc's, but for defaults.
func (m *merged) drop(d editor, i int, changedToo bool) error {
	r := m.edits[i]
	stands, err := d.look(m.text, r.Edit)
	if err != nil {
		return err
	}
	if r.Undo.Kept || stands == absent || stands == rival {
		m.forget(i)
		return nil
	}
	if stands == changed && !(r.Kind == Member && r.Undo.Replaced == "" && !r.Default) {
		if r.Kind == Member || !changedToo {
			m.kept = append(m.kept, r.label()+" was changed after acc wrote it")
			if r.Kind == Member { // the value is the user's now
				m.forget(i)
			}
			return nil
		}
		if r.Kind == Element {
			if r, err = m.changedElement(d, r); err != nil {
				return err
			}
		}
	}
	if m.text, err = d.take(m.text, r); err != nil {
		return err
	}
	m.details = append(m.details, "remove "+r.label())
	m.forget(i)
	return nil
}

// changedElement gives r with the value that the element has now.
func (m *merged) changedElement(d editor, r editRecord) (editRecord, error) {
	elements, err := d.elements(m.text, r.Path)
	for _, element := range elements {
		if ours, _ := d.owned(element); ours {
			r.Value = element
		}
	}
	return r, err
}

// forget deletes record i. What it knew of the containers around its value is handed to later edits in
// them: that they were made to the first one inside, what stood in the outermost to the first one there.
func (m *merged) forget(i int) {
	gone := m.edits[i]
	m.edits = slices.Delete(m.edits, i, i+1)
	outside := containers(gone) - gone.Undo.Created // containers that were there before
	made, stood := gone.Undo.Created > 0, gone.Undo.Interior != "" || gone.Undo.Blank
	for k := i; k < len(m.edits); k++ {
		heir := &m.edits[k]
		common := 0
		for common < min(containers(*heir), containers(gone)) && heir.Path[common] == gone.Path[common] {
			common++
		}
		if heir.Kind == Block || common < outside {
			continue
		}
		if made && common > outside && containers(*heir)-heir.Undo.Created > outside {
			heir.Undo.Created, made = containers(*heir)-outside, false
		}
		if stood {
			heir.Undo.Interior, heir.Undo.Blank, stood = gone.Undo.Interior, gone.Undo.Blank, false
		}
	}
}

// containers counts the names of a path that lead to containers rather than to the value.
func containers(r editRecord) int {
	if r.Kind == Element {
		return len(r.Path)
	}
	return len(r.Path) - 1
}

var errRival = errors.New("another data home of acc is wired here")

// refused names the file in an error about its text.
func refused(path string, err error) error {
	if errors.Is(err, errRival) {
		return protocol.ConflictError("", path+": "+err.Error()+"; acc leaves it as it is").Because(err).
			WithHint("run acc uninstall with the ACC_DATA_HOME that installed it, then run the command again")
	}
	var j *jsonedit.SyntaxError
	var t *tomledit.SyntaxError
	if errors.As(err, &j) || errors.As(err, &t) || errors.Is(err, block.ErrBroken) || errors.Is(err, block.ErrTwice) {
		return protocol.DataError(protocol.ReasonMalformed, path+": "+err.Error()+"; acc leaves it as it is").Because(err).
			WithHint("mend " + path + ", then run the command again")
	}
	return err
}
