package search

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acc-control-plane/acc/protocol"
)

// many gives messages as a long-lived room has them: words of a skewed distribution, bodies of some hundred bytes.
func many(n int) *Corpus {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("w%x", random.Uint64()>>(20+random.IntN(30)))
	}
	text := func(n int) string {
		picked := make([]string, n)
		for i := range picked {
			picked[i] = words[int(float64(len(words))*random.Float64()*random.Float64()*random.Float64())]
		}
		return strings.Join(picked, " ")
	}
	c := New()
	for i := range n {
		c.Add(protocol.Message{
			MessageID: fmt.Sprintf("message_%026d", i), FromParticipantID: fmt.Sprintf("codex-%d", i%40), MessageKind: protocol.Note,
			SentAt: time.UnixMilli(int64(i) * 1000), Subject: text(6), Body: text(80),
		})
	}
	c.Cursor = uint64(n)
	return c
}

// BenchmarkSearch is a search of a process that starts: the cache is read and looked through. All of acc search over
// 15,000 messages is meant to take less than 50 ms on a machine that has something else to do.
func BenchmarkSearch(b *testing.B) {
	c := many(15_000)
	base := b.TempDir()
	path := filepath.Join(base, "search", "messages")
	if err := c.Save(base, path); err != nil {
		b.Fatal(err)
	}
	word := strings.Fields(c.entries[7].body)[3]
	for name, words := range map[string][]string{"common": {word}, "two": {word, strings.Fields(c.entries[9].body)[2]}, "absent": {"zzzzzz"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if hits, _ := Load(path).Find(Query{Words: words, Limit: 20}); len(hits) == 0 && name == "common" {
					b.Fatal("nothing was found")
				}
			}
		})
	}
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			Load(path)
		}
	})
}
