package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// Names are the values that the shortened words of one document stand for.
type Names map[string]string

// shortened is a word that stands for one value: an id with its kind, or a bare word of capitals and digits.
var shortened = regexp.MustCompile(`\b([a-z]+_)?[A-Z0-9]{2,}…`)

// timeOfDay stands for any time of day that is written alike.
var timeOfDay = regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`)

// Fill puts the values of shortened words into a command.
func (n Names) Fill(command string) (string, error) {
	var missing []string
	filled := shortened.ReplaceAllStringFunc(command, func(word string) string {
		value, ok := n[word]
		if !ok {
			missing = append(missing, word)
		}
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("no output above shows what %s is", strings.Join(missing, " and "))
	}
	return filled, nil
}

// Match compares output with what the document shows, and learns what new shortened words stand for.
func (n Names) Match(want, got []string) error {
	want, got = trim(want), trim(got)
	learned := Names{}
	if !n.match(want, got, learned) {
		return fmt.Errorf("the document says\n\t%s\nthe command printed\n\t%s", strings.Join(want, "\n\t"), strings.Join(got, "\n\t"))
	}
	for word, value := range learned {
		n[word] = value
	}
	return nil
}

func (n Names) match(want, got []string, learned Names) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "…" {
		for skip := 0; skip <= len(got); skip++ {
			attempt := Names{}
			for word, value := range learned {
				attempt[word] = value
			}
			if n.match(want[1:], got[skip:], attempt) {
				for word, value := range attempt {
					learned[word] = value
				}
				return true
			}
		}
		return false
	}
	return len(got) > 0 && n.matchLine(want[0], got[0], learned) && n.match(want[1:], got[1:], learned)
}

// matchLine turns a line of the document into an expression with a group for each new shortened word.
func (n Names) matchLine(want, got string, learned Names) bool {
	var expr strings.Builder
	var groups []string
	expr.WriteString("^")
	literal := func(text string) {
		text = regexp.QuoteMeta(text)
		text = timeOfDay.ReplaceAllStringFunc(text, func(t string) string {
			return regexp.MustCompile(`\d`).ReplaceAllString(t, `\d`)
		})
		expr.WriteString(strings.ReplaceAll(text, "…", `.*?`))
	}
	end := 0
	for _, at := range shortened.FindAllStringSubmatchIndex(want, -1) {
		literal(want[end:at[0]])
		end = at[1]
		word := want[at[0]:at[1]]
		if value, ok := n[word]; ok {
			expr.WriteString(regexp.QuoteMeta(value))
			continue
		}
		if value, ok := learned[word]; ok {
			expr.WriteString(regexp.QuoteMeta(value))
			continue
		}
		kind := ""
		if at[2] >= 0 {
			kind = want[at[2]:at[3]]
		}
		expr.WriteString("(" + kind + "[0-9A-Za-z_-]+)")
		groups = append(groups, word)
	}
	literal(want[end:])
	expr.WriteString("$")
	found := regexp.MustCompile(expr.String()).FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for i, word := range groups {
		if earlier, ok := learned[word]; ok && earlier != found[i+1] {
			return false
		}
		learned[word] = found[i+1]
	}
	return true
}

// trim drops trailing space and blank lines at the end.
func trim(lines []string) []string {
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimRight(line, " \t\r"))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
