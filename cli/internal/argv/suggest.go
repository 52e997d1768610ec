package argv

import "strings"

// Suggest gives the known word closest to what was written, or "" when none is close: at most one
// mistake in short words and two in longer ones (a letter added, left out, changed, or two swapped), or
// one known word of which it is the beginning or which it begins with.
func Suggest(word string, known []string) string {
	word = strings.ToLower(word)
	allowed := 1
	if len(word) > 4 {
		allowed = 2
	}
	best, bestDistance := "", allowed+1
	var begins []string
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
		if len(word) >= 2 && strings.HasPrefix(k, word) || len(k) >= 4 && strings.HasPrefix(word, k) {
			begins = append(begins, k)
		}
	}
	if best == "" && len(begins) == 1 {
		return begins[0]
	}
	return best
}

// distance counts insertions, deletions, changes and swaps of neighbours between two words.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(next[j-1]+1, row[j]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
