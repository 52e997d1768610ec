package search

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"github.com/acc-control-plane/acc/protocol"
)

// Query says what is looked for. Every word must be found somewhere in a message.
type Query struct {
	Words       []string // parts of words count; see Words
	From        string   // participant; empty: anybody
	MessageKind protocol.MessageKind
	Since       time.Time // zero: from the beginning
	Until       time.Time // exclusive; zero: to the end
	Limit       int       // hits; 0: all
}

// Hit is a message that was found.
type Hit struct {
	MessageID string
	Score     int // higher is better; comparable within one answer only
}

// What a word is worth by where it was found. A whole word counts double.
const (
	inSubject    = 8
	inFrom       = 6
	inBody       = 1
	bodyMentions = 5 // of one word are counted
)

// Words splits what a person wrote: words at white space, and what stands between double quotes as one.
func Words(texts ...string) []string {
	var words []string
	for _, text := range texts {
		for i, part := range strings.Split(text, `"`) {
			if i%2 == 1 {
				if phrase := strings.Join(strings.Fields(part), " "); phrase != "" {
					words = append(words, phrase)
				}
				continue
			}
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// Find gives the hits, best first, and of equal ones the newest first; total counts those beyond the
// limit too.
func (c *Corpus) Find(q Query) (hits []Hit, total int) {
	words := make([]string, len(q.Words))
	for i, word := range q.Words {
		words[i] = fold(word)
	}
	from := fold(q.From)
	for _, i := range slices.Backward(c.candidates(words)) {
		e := &c.entries[i]
		if from != "" && e.from != from || q.MessageKind != "" && e.kind != string(q.MessageKind) ||
			!q.Since.IsZero() && e.time().Before(q.Since) || !q.Until.IsZero() && !e.time().Before(q.Until) {
			continue
		}
		if score := e.score(words); score > 0 {
			hits = append(hits, Hit{e.id, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	total = len(hits)
	if q.Limit > 0 && total > q.Limit {
		hits = hits[:q.Limit]
	}
	return hits, total
}

// candidates gives the entries that may hold every word, oldest first. The longest word is looked for in all of
// the block at once, which takes a fraction of looking into one text after the other; what is found there may
// still be no text, or lack another word.
func (c *Corpus) candidates(words []string) []int {
	var found []int
	if len(words) == 0 {
		for i := range c.entries {
			found = append(found, i)
		}
		return found
	}
	rarest := slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	for i := 0; i < len(c.starts); i++ {
		at := strings.Index(c.block[c.starts[i]:], rarest)
		if at < 0 {
			break
		}
		at += c.starts[i]
		i += sort.Search(len(c.starts)-i-1, func(n int) bool { return c.starts[i+1+n] > at }) // the entry that at lies in
		found = append(found, i)
	}
	for i := len(c.starts); i < len(c.entries); i++ { // added since
		found = append(found, i)
	}
	return found
}

// score is 0 when a word is missing. Without words everything that passed the filters is worth the same.
func (e *entry) score(words []string) int {
	score := 1
	for _, word := range words {
		worth := 0
		if at := strings.Index(e.subject, word); at >= 0 {
			worth += inSubject * weight(e.subject, at, len(word))
		}
		if e.from == word || e.kind == word {
			worth += inFrom
		}
		rest, offset := e.body, 0
		for range bodyMentions {
			at := strings.Index(rest, word)
			if at < 0 {
				break
			}
			worth += inBody * weight(e.body, offset+at, len(word))
			offset += at + len(word)
			rest = e.body[offset:]
		}
		if worth == 0 {
			return 0
		}
		score += worth
	}
	return score
}

// weight is 2 where a word stands alone.
func weight(text string, at, length int) int {
	before, after := lastRune(text[:at]), firstRune(text[at+length:])
	if !wordRune(before) && !wordRune(after) {
		return 2
	}
	return 1
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func firstRune(text string) rune {
	for _, r := range text {
		return r
	}
	return ' '
}

func lastRune(text string) rune {
	last := ' '
	for i := max(0, len(text)-4); i < len(text); i++ { // a character has at most four bytes
		if text[i] < 0x80 || text[i] >= 0xc0 {
			last = firstRune(text[i:])
		}
	}
	return last
}
