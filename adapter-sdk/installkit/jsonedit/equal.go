package jsonedit

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// Equal says whether two JSON texts hold the same value: layout, the order of members and members
// called as volatile says do not count.
func Equal(a, b string, volatile ...string) bool {
	left, err := parse([]byte(a), JSON)
	if err != nil || left.blank {
		return false
	}
	same, err := equalTo(&left.root, b, volatile)
	return err == nil && same
}

func equalTo(v *hujson.Value, value string, volatile []string) (bool, error) {
	t, err := parse([]byte(value), JSON)
	if err != nil || t.blank {
		return false, &SyntaxError{Problem: "the value to write is not JSON"}
	}
	return canonical(v, volatile) == canonical(&t.root, volatile), nil
}

// canonical writes a value without layout and comments, its members sorted by name.
func canonical(v *hujson.Value, volatile []string) string {
	switch composite := v.Value.(type) {
	case *hujson.Object:
		var members []string
		for i := range composite.Members {
			m := &composite.Members[i]
			if name := memberName(m); !slices.Contains(volatile, name) {
				members = append(members, quote(name)+":"+canonical(&m.Value, volatile))
			}
		}
		slices.Sort(members)
		return "{" + strings.Join(members, ",") + "}"
	case *hujson.Array:
		var elements []string
		for i := range composite.Elements {
			elements = append(elements, canonical(&composite.Elements[i], volatile))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case hujson.Literal:
		literal := jsontext.Value(slices.Clone([]byte(composite)))
		if literal.Canonicalize() == nil {
			return string(literal)
		}
		return string(composite)
	}
	return ""
}

// quote writes a JSON string.
func quote(s string) string {
	out, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8 was replaced
		return string(out)
	}
	return string(out)
}
