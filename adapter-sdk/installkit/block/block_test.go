package block

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var marks = Marks{Begin: "# >>> acc", End: "# <<< acc"}

func TestAppendAndRemove(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"empty", "", "# >>> acc\na\nb\n# <<< acc\n"},
		{"lines", "x\n", "x\n\n# >>> acc\na\nb\n# <<< acc\n"},
		{"no final newline", "x", "x\n\n# >>> acc\na\nb\n# <<< acc"},
		{"CRLF", "x\r\n", "x\r\n\r\n# >>> acc\r\na\r\nb\r\n# <<< acc\r\n"},
		{"CRLF and no final newline", "x\r\ny", "x\r\ny\r\n\r\n# >>> acc\r\na\r\nb\r\n# <<< acc"},
		{"only a newline", "\n", "\n\n# >>> acc\na\nb\n# <<< acc\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, undo, err := Append([]byte(tt.before), marks, "a\nb\n")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("Append (-want +got):\n%s", diff)
			}
			if body, ok, err := Find(got, marks); body != "a\nb\n" || !ok || err != nil {
				t.Errorf("Find gave %q, %v, %v", body, ok, err)
			}
			if _, _, err := Append(got, marks, "c\n"); !errors.Is(err, ErrTwice) {
				t.Errorf("a second block: %v", err)
			}
			other, ok, err := Replace(got, marks, "c\n")
			if body, _, _ := Find(other, marks); body != "c\n" || !ok || err != nil {
				t.Errorf("Replace gave %q, %v, %v", other, ok, err)
			}
			for _, doc := range [][]byte{got, other} {
				back, ok, err := Remove(doc, marks, undo)
				if err != nil || !ok || string(back) != tt.before {
					t.Errorf("Remove gave %q, %v, %v", back, ok, err)
				}
			}
		})
	}
}

func TestTextAroundTheBlockStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		lines := func(name string, of ...string) string {
			return strings.ReplaceAll(strings.Join(rapid.SliceOfN(rapid.SampledFrom(of), 0, 4).Draw(t, name), ""), "\n", nl)
		}
		before := lines("before", "x = 1\n", "\n", "y")
		doc, undo, err := Append([]byte(before), marks, "a\n")
		if err != nil {
			t.Fatal(err)
		}
		behind := lines("behind", "z = 1\n", "\n")
		if behind != "" && doc[len(doc)-1] != '\n' {
			behind = string(undo.Before[:len(undo.Before)/2]) + behind
		}
		got, ok, err := Remove(append(doc, behind...), marks, undo)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if want := before + behind; string(got) != want {
			t.Fatalf("%q and %q behind it became %q", before, behind, got)
		}
	})
}

func TestALineInFrontOfTheBlockStays(t *testing.T) {
	doc, undo, err := Append([]byte("x = 1\n"), marks, "a\n")
	if err != nil {
		t.Fatal(err)
	}
	doc = []byte(strings.Replace(string(doc), marks.Begin, "y = 2\n"+marks.Begin, 1))
	if got, _, err := Remove(doc, marks, undo); err != nil || string(got) != "x = 1\n\ny = 2\n" {
		t.Errorf("Remove gave %q, %v", got, err)
	}
}

func TestBrokenMarks(t *testing.T) {
	for _, doc := range []string{"# >>> acc\n", "# <<< acc\n", "# <<< acc\n# >>> acc\n", "# >>> acc\n# <<< acc\n# >>> acc\n# <<< acc\n"} {
		if _, _, err := Find([]byte(doc), marks); !errors.Is(err, ErrBroken) {
			t.Errorf("%q: %v", doc, err)
		}
		if got, _, err := Remove([]byte(doc), marks, Undo{}); err == nil || string(got) != doc {
			t.Errorf("%q was changed to %q", doc, got)
		}
	}
}

// FuzzEdit edits arbitrary texts. A block that was put in is found, can be exchanged, and goes to the byte; a text
// that has markers already is refused or read, and gives back what it holds.
func FuzzEdit(f *testing.F) {
	for _, doc := range []string{"", "x = 1\n", "x\r\ny", "# >>> acc\na\n# <<< acc\n", "# <<< acc\n# >>> acc", "  # >>> acc \r\n"} {
		f.Add([]byte(doc), "a\nb\n", "c\n")
	}
	f.Fuzz(func(t *testing.T, doc []byte, body, other string) {
		for _, b := range []string{body, other} {
			// A body is made of whole lines that are not ours, in the one form of their ends.
			if !strings.HasSuffix(b, "\n") || strings.Contains(b, "\r") || strings.Contains(b, "acc") {
				t.Skip()
			}
		}
		got, undo, err := Append(doc, marks, body)
		if err != nil {
			if back, found, removeErr := Remove(doc, marks, Undo{}); errors.Is(err, ErrTwice) && (removeErr != nil || !found || len(back) >= len(doc)) {
				t.Fatalf("a block that is there is not removed: %q, %v, %v", back, found, removeErr)
			}
			return
		}
		if in, found, err := Find(got, marks); err != nil || !found || in != body {
			t.Fatalf("found %q, %v, %v in %q", in, found, err, got)
		}
		exchanged, found, err := Replace(got, marks, other)
		if in, _, findErr := Find(exchanged, marks); err != nil || findErr != nil || !found || in != other {
			t.Fatalf("exchanged %q, %v, %v, %v", in, found, err, findErr)
		}
		for _, edited := range [][]byte{got, exchanged} {
			if back, found, err := Remove(edited, marks, undo); err != nil || !found || string(back) != string(doc) {
				t.Fatalf("Remove gave %q, %v, %v; want %q", back, found, err, doc)
			}
		}
	})
}
