package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/cli/internal/search"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/google/go-cmp/cmp"
)

var start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func message(i int, from string, kind protocol.MessageKind, subject, body string) protocol.Message {
	return protocol.Message{MessageID: fmt.Sprintf("m%d", i), FromParticipantID: from, MessageKind: kind, Subject: subject, Body: body, SentAt: start.Add(time.Duration(i) * time.Hour)}
}

func corpus() *search.Corpus {
	c := search.New()
	c.Add(message(1, "ada", protocol.Question, "Which half owns the clamp?", "Physics or renderer"))
	c.Add(message(2, "Bob", protocol.Answer, "Re: Which half owns the clamp?", "Physics. The clamp, the CLAMP, clamping."))
	c.Add(message(3, "ada", protocol.Note, "Parser", "the unclamped value über Straße"))
	c.Add(message(4, "bob", protocol.Decision, "Use flock", "because clamp"))
	c.Add(message(2, "bob", protocol.Answer, "another text", "under a known id"))
	return c
}

func found(q search.Query) []string {
	hits, _ := corpus().Find(q)
	ids := []string{}
	for _, h := range hits {
		ids = append(ids, h.MessageID)
	}
	return ids
}

func TestFindRanksAndFilters(t *testing.T) {
	for name, test := range map[string]struct {
		q    search.Query
		want []string
	}{
		"subject before body, mentions count, parts of words last": {search.Query{Words: []string{"clamp"}}, []string{"m2", "m1", "m4", "m3"}},
		"every word must be there":                                 {search.Query{Words: []string{"clamp", "flock"}}, []string{"m4"}},
		"a phrase":                                                 {search.Query{Words: search.Words(`"owns the clamp"`)}, []string{"m2", "m1"}},
		"letter case does not matter":                              {search.Query{Words: []string{"FLOCK"}}, []string{"m4"}},
		"nor outside of ASCII":                                     {search.Query{Words: []string{"ÜBER", "strasse"}}, []string{}},
		"nor for umlauts":                                          {search.Query{Words: []string{"ÜBER"}}, []string{"m3"}},
		"a participant is found by name":                           {search.Query{Words: []string{"bob"}}, []string{"m4", "m2"}},
		"a kind is found by name":                                  {search.Query{Words: []string{"decision"}}, []string{"m4"}},
		"from":                                                     {search.Query{From: "ADA", Words: []string{"clamp"}}, []string{"m1", "m3"}},
		"kind":                                                     {search.Query{MessageKind: protocol.Answer}, []string{"m2"}},
		"since is inclusive and until is not":                      {search.Query{Since: start.Add(2 * time.Hour), Until: start.Add(4 * time.Hour)}, []string{"m3", "m2"}},
		"no words: newest first":                                   {search.Query{}, []string{"m4", "m3", "m2", "m1"}},
		"limit":                                                    {search.Query{Limit: 2}, []string{"m4", "m3"}},
		"nothing":                                                  {search.Query{Words: []string{"absent"}}, []string{}},
	} {
		if diff := cmp.Diff(test.want, found(test.q)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if _, total := corpus().Find(search.Query{Limit: 1}); total != 4 {
		t.Errorf("%d in total", total)
	}
}

func TestWords(t *testing.T) {
	got := search.Words("one  two", `say "a  phrase" three`, `"" "open`)
	if diff := cmp.Diff([]string{"one", "two", "say", "a phrase", "three", "open"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFileKeepsEverything(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "search", "messages")
	c := corpus()
	c.Cursor = 7
	if err := c.Save(base, path); err != nil {
		t.Fatal(err)
	}
	again := search.Load(path)
	if again.Cursor != 7 || again.Len() != 4 {
		t.Fatalf("cursor %d, %d messages", again.Cursor, again.Len())
	}
	want, _ := c.Find(search.Query{Words: []string{"clamp"}})
	got, _ := again.Find(search.Query{Words: []string{"clamp"}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again.Add(message(5, "eve", protocol.Note, "more", "clamp"))
	if again.Len() != 5 {
		t.Error("a loaded corpus does not grow")
	}
}

// Whatever a file holds, it is read as it was written or not at all.
func TestDamagedFilesAreForgotten(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "messages")
	if err := corpus().Save(base, path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, bad := range [][]byte{whole[:i], append(append([]byte{}, whole[:i]...), append([]byte{whole[i] ^ 0x40}, whole[i+1:]...)...)} {
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if c := search.Load(path); c.Len() != 0 || c.Cursor != 0 {
				t.Fatalf("byte %d: %d messages were read from a damaged file", i, c.Len())
			}
		}
	}
	if search.Load(filepath.Join(base, "absent")).Len() != 0 {
		t.Error("an absent file holds messages")
	}
}

// TestReadAndAddedAreSearchedAlike: it makes no difference whether a message was read from the cache or added since.
func TestReadAndAddedAreSearchedAlike(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "messages")
	if err := corpus().Save(base, path); err != nil {
		t.Fatal(err)
	}
	read, added := search.Load(path), corpus()
	for _, c := range []*search.Corpus{read, added} {
		c.Add(message(6, "eve", protocol.Note, "last", "über the clamp"))
	}
	for _, words := range [][]string{nil, {"clamp"}, {"c"}, {"clamp", "über"}, {"bob"}, {"note", "clamp"}, {"m1"}, {"which half", "clamp"}, {"absent"}, {"acc-search"}} {
		want, wantTotal := added.Find(search.Query{Words: words})
		got, total := read.Find(search.Query{Words: words})
		if diff := cmp.Diff(want, got); diff != "" || total != wantTotal {
			t.Errorf("%q: %d of %d\n%s", words, total, wantTotal, diff)
		}
	}
}
