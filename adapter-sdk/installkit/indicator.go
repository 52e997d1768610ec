package installkit

import (
	"slices"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/userfile"
)

// requested gives the edits that are wanted of w: of those for a status line only what somebody asks for now, or
// asked for earlier and left in place. It notes how the status line will be.
func (p *draft) requested(choice adapter.IndicatorChoice, had *installation, w Wants) ([]UserFile, error) {
	files := slices.Clone(w.Edits)
	for i, f := range files {
		if !slices.ContainsFunc(f.Edits, func(e Edit) bool { return e.Indicator }) {
			continue
		}
		now, err := userfile.Read(p.root, f.Path)
		if err != nil {
			return nil, err
		}
		d := editor{f.Format, w.Mark}
		if err := d.check(now.Data); err != nil {
			return nil, refused(f.Path, err)
		}
		files[i].Edits = nil
		for _, e := range f.Edits {
			if e.Indicator {
				e.Default, e.Ours = true, true
				if !p.indicates(choice, d, now.Data, f.Path, e, had.edit(f.Path, e)) {
					continue
				}
			}
			files[i].Edits = append(files[i].Edits, e)
		}
	}
	return slices.DeleteFunc(files, func(f UserFile) bool { return len(f.Edits) == 0 }), nil
}

// indicates says whether one edit of a status line is wanted. rec is its record, or nil.
func (p *draft) indicates(choice adapter.IndicatorChoice, d editor, doc []byte, path string, e Edit, rec *editRecord) bool {
	stands, err := d.look(doc, e)
	if err != nil {
		return false // there is no place for it, of which another edit complains
	}
	was := shown(stands, d.recorded(doc, rec))
	p.plan.Indicator = was
	switch {
	case choice == adapter.KeepIndicator:
		return was == adapter.IndicatorOn
	case was == adapter.IndicatorOther && choice == adapter.ShowIndicator:
		p.plan.Notes = append(p.plan.Notes, path+": the status line there is not acc's and stays; take it out and run the command again, or call acc-indicator from it")
		return false
	case was == adapter.IndicatorOn && choice == adapter.HideIndicator && rec == nil:
		p.plan.Notes = append(p.plan.Notes, path+": acc has no record that it wrote the status line there, so it stays; take "+e.label()+" out yourself")
		return false
	case choice == adapter.ShowIndicator:
		p.plan.Indicator = adapter.IndicatorOn
		return true
	case was == adapter.IndicatorOn:
		p.plan.Indicator = adapter.IndicatorOff
	}
	return false
}

// shown tells what a status line shows: acc's value stands there as it is wanted, or as it was recorded.
func shown(wanted, recorded presence) adapter.IndicatorState {
	switch {
	case wanted == same || recorded == same:
		return adapter.IndicatorOn
	case wanted == absent:
		return adapter.IndicatorOff
	}
	return adapter.IndicatorOther
}

// recorded tells how the edit of a record stands in doc; nil stands nowhere.
func (d editor) recorded(doc []byte, rec *editRecord) presence {
	if rec == nil || rec.Undo.Kept {
		return absent
	}
	stands, err := d.look(doc, rec.Edit)
	if err != nil {
		return absent
	}
	return stands
}

// edit gives the record of an edit of a file, or nil.
func (i *installation) edit(path string, e Edit) *editRecord {
	f := i.file(path)
	if f == nil {
		return nil
	}
	if k := slices.IndexFunc(f.Edits, func(r editRecord) bool { return r.same(e) }); k >= 0 {
		return &f.Edits[k]
	}
	return nil
}
