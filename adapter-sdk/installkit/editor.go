package installkit

import (
	"errors"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/installkit/block"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/jsonedit"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit/tomledit"
)

// presence is how an edit stands in a file.
type presence int

const (
	absent  presence = iota
	same             // as it was written
	changed          // somebody changed it, or it is there with another value
	rival            // another data home's
)

// editor edits text of one format.
type editor struct {
	format Format
	mark   string
}

func (d editor) dialect() jsonedit.Dialect {
	if d.format == JSONC {
		return jsonedit.JSONC
	}
	return jsonedit.JSON
}

// check refuses a text that must not be edited.
func (d editor) check(doc []byte) error {
	if d.format == TOML {
		return tomledit.Check(doc)
	}
	return jsonedit.Check(doc, d.dialect())
}

// equal compares two values of the format.
func (d editor) equal(a, b string, volatile []string) bool {
	if d.format == TOML {
		return tomledit.Equal(a, b)
	}
	return jsonedit.Equal(a, b, volatile...)
}

// commandWords are in every command text of every data home: one or the other.
var commandWords = [...]string{"acc-hook", "acc-mcp"}

// owned says whether text was written by this data home, and foreign whether by another one.
func (d editor) owned(text string) (ours, foreign bool) {
	ours = d.mark != "" && (strings.Contains(text, d.mark) || strings.Contains(text, escaped(d.mark)))
	return ours, !ours && slices.ContainsFunc(commandWords[:], func(word string) bool { return strings.Contains(text, word) })
}

// escaped is how a string appears inside a JSON or TOML string.
func escaped(s string) string {
	quoted := Quote(s)
	return quoted[1 : len(quoted)-1]
}

// look tells how e stands in doc.
func (d editor) look(doc []byte, e Edit) (presence, error) {
	switch e.Kind {
	case Member:
		value, found, err := d.member(doc, e.Path)
		switch {
		case err != nil || !found:
			return absent, err
		case d.equal(value, e.Value, e.Volatile):
			return same, nil
		}
		if _, foreign := d.owned(value); foreign && e.Ours {
			return rival, nil
		}
		return changed, nil
	case Element:
		elements, err := d.elements(doc, e.Path)
		if err != nil {
			return absent, err
		}
		return d.among(elements, e), nil
	}
	body, found, err := block.Find(doc, marks(e))
	if err != nil || !found {
		return absent, err
	}
	if body == e.Value {
		return same, nil
	}
	if _, foreign := d.owned(body); foreign {
		return rival, nil
	}
	return changed, nil
}

// among tells how an element stands among those of its array.
func (d editor) among(elements []string, e Edit) presence {
	found := absent
	for _, element := range elements {
		if d.equal(element, e.Value, e.Volatile) {
			return same
		}
		switch ours, foreign := d.owned(element); {
		case ours && e.Ours:
			found = changed
		case foreign && e.Ours && found == absent:
			found = rival
		}
	}
	return found
}

func (d editor) member(doc []byte, path []string) (value string, found bool, err error) {
	if d.format == TOML {
		return tomledit.Text(doc, path...)
	}
	text, found, err := jsonedit.Get(doc, d.dialect(), path...)
	return string(text), found, err
}

func (d editor) elements(doc []byte, path []string) ([]string, error) {
	if d.format == TOML {
		return tomledit.Elements(doc, path...)
	}
	elements, err := jsonedit.Elements(doc, d.dialect(), path...)
	var out []string
	for _, element := range elements {
		out = append(out, string(element))
	}
	return out, err
}

func marks(e Edit) block.Marks { return block.Marks{Begin: e.Path[0], End: e.Path[len(e.Path)-1]} }

// write puts e into doc.
func (d editor) write(doc []byte, e Edit) ([]byte, undo, error) {
	switch {
	case e.Kind == Block:
		out, u, err := block.Append(doc, marks(e), e.Value)
		if err == nil {
			err = misfit(d.check(out))
		}
		return out, undo{Before: u.Before}, err
	case d.format == TOML:
		edit := tomledit.Set
		if e.Kind == Element {
			edit = tomledit.Append
		}
		out, u, err := edit(doc, e.Path, e.Value)
		return out, undo{Kept: u.Kept, Replaced: u.Replaced, Interior: u.Interior, Array: u.Array, Header: u.Header, Before: u.Before}, err
	case e.Kind == Element:
		out, u, err := jsonedit.Append(doc, d.dialect(), e.Path, e.Value)
		return out, jsonUndo(u), err
	}
	out, u, err := jsonedit.Set(doc, d.dialect(), e.Path, e.Value, e.Volatile...)
	return out, jsonUndo(u), err
}

// misfit is the problem of a text that was good until acc's lines stood at its end. Whoever mends it has no such line.
func misfit(err error) error {
	if s, ok := errors.AsType[*tomledit.SyntaxError](err); ok {
		return &tomledit.SyntaxError{Problem: "acc's lines do not fit at its end: " + s.Problem}
	}
	return err
}

func jsonUndo(u jsonedit.Undo) undo {
	return undo{Kept: u.Kept, Created: u.Created, Replaced: u.Replaced, Interior: u.Interior, Blank: u.Blank}
}

// swap gives the value of old, which stands in doc as it was written, the value of e. It stays where it
// is.
func (d editor) swap(doc []byte, old, e Edit) (out []byte, err error) {
	switch {
	case e.Kind == Block:
		out, _, err = block.Replace(doc, marks(e), e.Value)
		if err == nil {
			err = d.check(out)
		}
	case e.Kind == Element && d.format == TOML:
		out, _, err = tomledit.Swap(doc, e.Path, old.Value, e.Value)
	case e.Kind == Element:
		out, _, err = jsonedit.Swap(doc, d.dialect(), e.Path, old.Value, e.Value)
	default:
		out, _, err = d.write(doc, e)
	}
	return out, err
}

// take removes what r wrote.
func (d editor) take(doc []byte, r editRecord) (out []byte, err error) {
	u := r.Undo
	switch {
	case r.Kind == Block:
		out, _, err = block.Remove(doc, marks(r.Edit), block.Undo{Before: u.Before})
	case d.format == TOML:
		back := tomledit.Undo{Kept: u.Kept, Replaced: u.Replaced, Interior: u.Interior, Array: u.Array, Header: u.Header, Before: u.Before}
		if r.Kind == Element {
			out, _, err = tomledit.Drop(doc, r.Path, r.Value, back)
		} else {
			out, _, err = tomledit.Unset(doc, r.Path, back)
		}
	default:
		back := jsonedit.Undo{Kept: u.Kept, Created: u.Created, Replaced: u.Replaced, Interior: u.Interior, Blank: u.Blank}
		if r.Kind == Element {
			out, _, err = jsonedit.Drop(doc, d.dialect(), r.Path, r.Value, back)
		} else {
			out, _, err = jsonedit.Unset(doc, d.dialect(), r.Path, back)
		}
	}
	return out, err
}
