package lines

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func TestParse(t *testing.T) {
	const invalid, parseError = jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError
	for line, want := range map[string]struct {
		code int64 // 0: a message
		id   string
	}{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                     {},
		` {"jsonrpc":"2.0","id":"a","method":"ping","params":{}} `:     {},
		`{"jsonrpc":"2.0","method":"m","extra":1}`:                     {},
		`{"jsonrpc":"2.0","id":1,"result":null}`:                       {},
		`{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`:      {},
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:      {invalid, ""},
		`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`:                   {invalid, ""},
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:                  {invalid, ""},
		`{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"a":2}}`: {invalid, "7"},
		`{"jsonrpc":"2.0","id":"x","method":"m","params":null}`:        {invalid, `"x"`},
		`{"jsonrpc":"2.0","id":7,"method":"m","result":1}`:             {invalid, "7"},
		`{"jsonrpc":"2.0","id":7,"result":1,"error":{}}`:               {invalid, "7"},
		`{"jsonrpc":"2.0","id":7,"error":"text"}`:                      {invalid, "7"},
		`{"jsonrpc":"2.0","id":7,"id":8,"method":"m"}`:                 {invalid, ""},
		`{"jsonrpc":"2.0","id":7,"method":"m"}{}`:                      {parseError, ""},
		`{"jsonrpc":"2.0","id":7,"method":"m"`:                         {parseError, ""},
		`{"jsonrpc":"2.0","id":7,"method":"` + "\xff" + `"}`:           {parseError, ""},
		`[]`:   {invalid, ""},
		`null`: {invalid, ""},
		strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000): {invalid, ""},
	} {
		m, refused := parse([]byte(line))
		if (m == nil) == (refused == nil) {
			t.Fatalf("%.80s: message %v and refusal %v", line, m, refused)
		}
		if want.code == 0 {
			if refused != nil {
				t.Errorf("%.80s: refused: %s", line, refused.message)
			}
			continue
		}
		if refused == nil || refused.code != want.code || string(refused.id) != want.id {
			t.Errorf("%.80s: %+v, want %+v", line, refused, want)
		}
	}
}

// FuzzParse: every line is a message whose id comes back as it was, or is answered with one line of JSON.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`, `null`, `[`, `{"id":1e400}`, `{"jsonrpc":"2.0","id":-0,"method":"m"}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"m"}`, "\xff", `{"id":{"id":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.ReplaceAll(line, []byte("\n"), nil)
		m, refused := parse(line)
		if refused != nil {
			var out bytes.Buffer
			if err := refused.write(&out); err != nil {
				t.Fatalf("the refusal cannot be written: %v", err)
			}
			text, found := strings.CutSuffix(out.String(), "\n")
			if !found || strings.Contains(text, "\n") || !jsontext.Value(text).IsValid() {
				t.Fatalf("the refusal is %q", out.String())
			}
			return
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			data, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.ID, Result: []byte("{}")})
			if err != nil {
				t.Fatal(err)
			}
			sent, back := idOf(line), idOf(data)
			if err := sent.Canonicalize(); err != nil {
				t.Fatal(err)
			}
			if err := back.Canonicalize(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(sent), string(back)); diff != "" {
				t.Fatalf("the id of the answer is another (-sent +answered):\n%s", diff)
			}
		}
	})
}

// slow gives its parts one read at a time and then waits until it is released.
type slow struct {
	parts   []string
	release chan struct{}
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.parts) == 0 {
		<-s.release
		return 0, io.EOF
	}
	n := copy(p, s.parts[0])
	if s.parts[0] = s.parts[0][n:]; s.parts[0] == "" {
		s.parts = s.parts[1:]
	}
	return n, nil
}

func read(t *testing.T, tr *Transport) (jsonrpc.Message, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return tr.Read(ctx)
}

// TestTheEndOfTheInputLetsAnswersOut: what came before the end is answered before Read gives the end, and
// a last line needs no line end.
func TestTheEndOfTheInputLetsAnswersOut(t *testing.T) {
	var out bytes.Buffer
	in := &slow{parts: []string{`{"jsonrpc":"2.0","id":1,"met`, `hod":"a"}` + "\r\n\n  \n", `oops` + "\n", `{"jsonrpc":"2.0","id":2,"method":"b"}`}, release: make(chan struct{})}
	tr := New(in, &out)
	if _, err := tr.Connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	close(in.release)
	for range 2 {
		if _, err := read(t, tr); err != nil {
			t.Fatal(err)
		}
	}
	<-tr.Ended()
	ending, answered := make(chan struct{}), make(chan int, 1)
	go func() {
		written := 0
		defer func() { answered <- written }()
		<-ending
		for id := range 2 {
			number, _ := jsonrpc.MakeID(float64(id + 1))
			if err := tr.Write(context.Background(), &jsonrpc.Response{ID: number, Result: []byte("{}")}); err != nil {
				t.Error(err)
			}
			written++
		}
	}()
	close(ending)
	if _, err := read(t, tr); !errors.Is(err, io.EOF) {
		t.Errorf("the end is %v", err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 3 {
		t.Errorf("the end came with %d lines written", lines)
	}
	<-answered
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 3 || !strings.Contains(lines[0], "-32700") {
		t.Errorf("written:\n%s", out.String())
	}
}

// TestCloseEndsARead whatever the input does.
func TestCloseEndsARead(t *testing.T) {
	in := &slow{release: make(chan struct{})}
	defer close(in.release)
	tr := New(in, io.Discard)
	if _, err := tr.Connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tr.Close(), tr.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, tr); !errors.Is(err, io.EOF) {
		t.Errorf("a closed transport reads %v", err)
	}
}

// TestALongLineIsNotKept: a line of any length costs no more memory than the limit.
func TestALongLineIsNotKept(t *testing.T) {
	var out bytes.Buffer
	long := io.MultiReader(strings.NewReader(`{"x":"`), io.LimitReader(zeros{}, 64<<20), strings.NewReader("\n"+`{"jsonrpc":"2.0","method":"after"}`))
	tr := New(long, &out)
	if _, err := tr.Connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	m, err := read(t, tr)
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := m.(*jsonrpc.Request); !ok || r.Method != "after" {
		t.Errorf("after a long line comes %+v", m)
	}
	if !strings.Contains(out.String(), "longer than") {
		t.Errorf("a long line is answered with %q", out.String())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
