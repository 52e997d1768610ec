package strictjson

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Rule says which strings a member may hold.
type Rule struct {
	Label    string // what documentation calls the type: "portable id"
	Limits   string // further limits in words, beyond the ones below
	Empty    bool   // "" is allowed
	MaxChars int    // code points; 0: no limit
	MaxBytes int    // bytes of UTF-8; 0: no limit

	// Check gives what is wrong with a string, or "". Pattern and NotPattern say the same as far as a
	// regular expression (in the common subset of RE2 and ECMA 262) can, for JSON Schema only.
	Check      func(string) string
	Pattern    string
	NotPattern string
}

// String is a string under rule, which must not change after.
func String[S ~string](rule *Rule) Type[S] { return Type[S]{stringType[S]{rule}} }

// Text is any string, also an empty one, of up to maxBytes.
func Text(maxBytes int) Type[string] {
	return String[string](&Rule{Label: "text", Empty: true, MaxBytes: maxBytes})
}

// Line is one line of up to maxChars characters with something to read and no control characters.
func Line(maxChars int) Type[string] {
	return String[string](&Rule{
		Label: "line", MaxChars: maxChars,
		Check: checkLine, Pattern: linePattern,
	})
}

// Prose is text of up to maxBytes with something to read, whose only control characters are line
// breaks (CR, LF) and tabs.
func Prose(maxBytes int) Type[string] {
	return String[string](&Rule{
		Label: "prose", MaxBytes: maxBytes,
		Check: checkProse, Pattern: prosePattern,
	})
}

// Spaces is Unicode White_Space, which unicode.IsSpace tells, as the inside of a character class.
const Spaces = "\x09-\x0d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

const (
	controls     = "\x00-\x1f\x7f"
	proseControl = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f"

	linePattern  = "^[^" + controls + "]*[^" + controls + Spaces + "][^" + controls + "]*$"
	prosePattern = "^[^" + proseControl + "]*[^" + proseControl + Spaces + "][^" + proseControl + "]*$"
)

func checkLine(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return "must be one line without control characters"
		}
	}
	if strings.TrimSpace(s) == "" {
		return "must not be blank"
	}
	return ""
}

func checkProse(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return "must not contain control characters but line breaks and tabs"
		}
	}
	if strings.TrimSpace(s) == "" {
		return "must not be blank"
	}
	return ""
}

// stringType is generic and holds nothing but a pointer, so that none is allocated.
type stringType[S ~string] struct{ rule *Rule }

func (t stringType[S]) decode(d *decoder, v any) error {
	s, err := t.rule.decode(d)
	*v.(*S) = S(s)
	return err
}
func (t stringType[S]) check(v any) error { return t.rule.checkGo(string(*v.(*S))) }
func (t stringType[S]) append(dst []byte, v any) []byte {
	return appendString(dst, string(*v.(*S)))
}
func (t stringType[S]) empty(v any) bool { return *v.(*S) == "" }
func (t stringType[S]) keepEmpty() kind  { return t }
func (t stringType[S]) shape() *shape    { return t.rule.shape() }

func (r *Rule) decode(d *decoder) (string, error) {
	b, err := d.text()
	if err != nil {
		return "", err
	}
	s := string(b)
	return s, r.check(s)
}

// checkGo is check of a string that no document held.
func (r *Rule) checkGo(s string) error {
	if err := checkText(s); err != nil {
		return err
	}
	return r.check(s)
}

func (r *Rule) check(s string) error {
	if s == "" && !r.Empty {
		return fail("must not be empty")
	}
	if r.MaxBytes > 0 && len(s) > r.MaxBytes {
		return fail("longer than " + strconv.Itoa(r.MaxBytes) + " bytes")
	}
	if r.MaxChars > 0 && len(s) > r.MaxChars && utf8.RuneCountInString(s) > r.MaxChars {
		return fail("longer than " + strconv.Itoa(r.MaxChars) + " characters")
	}
	if r.Check != nil {
		if message := r.Check(s); message != "" {
			return fail(message)
		}
	}
	return nil
}

func (r *Rule) shape() *shape {
	s := &shape{typ: "string", label: r.Label}
	var limits []string
	if !r.Empty {
		s.words = append(s.words, keyword{"minLength", "1"})
	}
	if r.MaxChars > 0 {
		limits = append(limits, "up to "+strconv.Itoa(r.MaxChars)+" characters")
		s.words = append(s.words, keyword{"maxLength", strconv.Itoa(r.MaxChars)})
	}
	if r.MaxBytes > 0 {
		limits = append(limits, "up to "+strconv.Itoa(r.MaxBytes)+" bytes")
		s.words = append(s.words, keyword{"maxLength", strconv.Itoa(r.MaxBytes)}, keyword{"x-maxBytes", strconv.Itoa(r.MaxBytes)})
	}
	if r.Limits != "" {
		limits = append(limits, r.Limits)
	}
	if r.Pattern != "" {
		s.words = append(s.words, keyword{"pattern", quoted(r.Pattern)})
	}
	if r.NotPattern != "" {
		s.words = append(s.words, keyword{"not", `{"pattern":` + quoted(r.NotPattern) + `}`})
	}
	s.limits = strings.Join(limits, ", ")
	return s
}

// Enum is one of a closed list of strings.
func Enum[S ~string](values ...S) Type[S] { return Type[S]{enumType[S](values)} }

type enumType[S ~string] []S

func (t enumType[S]) decode(d *decoder, v any) error {
	b, err := d.text()
	if err != nil {
		return err
	}
	for _, known := range t {
		if string(b) == string(known) {
			*v.(*S) = known
			return nil
		}
	}
	return t.refuse()
}
func (t enumType[S]) check(v any) error {
	if slices.Contains(t, *v.(*S)) {
		return nil
	}
	return t.refuse()
}
func (t enumType[S]) append(dst []byte, v any) []byte { return appendString(dst, string(*v.(*S))) }
func (t enumType[S]) empty(v any) bool                { return *v.(*S) == "" }
func (t enumType[S]) keepEmpty() kind                 { return t }
func (t enumType[S]) refuse() error                   { return fail("must be one of " + strings.Join(t.words(), ", ")) }
func (t enumType[S]) words() []string {
	words := make([]string, len(t))
	for i, v := range t {
		words[i] = string(v)
	}
	return words
}
func (t enumType[S]) shape() *shape {
	words := t.words()
	list := strings.Join(words, ", ")
	for i, w := range words {
		words[i] = quoted(w)
	}
	return &shape{typ: "string", label: "enum", limits: list, enum: words}
}

// Coded is a Go value that JSON holds as a string of one canonical form.
type Coded[V any] struct {
	Label, Limits string // for documentation
	Pattern       string // for JSON Schema
	Format        string // for JSON Schema: "date-time"; "": none

	Parse  func(text []byte) (v V, problem string) // must refuse every form that Append does not write
	Append func(dst []byte, v V) []byte
	Check  func(v V) (problem string) // refuses what cannot be written
	Empty  func(v V) bool             // the value that stands for null or absent
}

// CodedString is the Type of c, which must not change after.
func CodedString[V any](c *Coded[V]) Type[V] { return Type[V]{codedType[V]{c}} }

type codedType[V any] struct{ c *Coded[V] }

func (t codedType[V]) decode(d *decoder, v any) error {
	b, err := d.text()
	if err != nil {
		return err
	}
	parsed, problem := t.c.Parse(b)
	if problem != "" {
		return fail(problem)
	}
	*v.(*V) = parsed
	return nil
}
func (t codedType[V]) check(v any) error {
	if problem := t.c.Check(*v.(*V)); problem != "" {
		return fail(problem)
	}
	return nil
}
func (t codedType[V]) append(dst []byte, v any) []byte {
	dst = append(dst, '"')
	dst = t.c.Append(dst, *v.(*V))
	return append(dst, '"')
}
func (t codedType[V]) empty(v any) bool { return t.c.Empty(*v.(*V)) }
func (t codedType[V]) keepEmpty() kind  { return t }
func (t codedType[V]) shape() *shape {
	s := &shape{typ: "string", label: t.c.Label, limits: t.c.Limits}
	if t.c.Format != "" {
		s.words = append(s.words, keyword{"format", quoted(t.c.Format)})
	}
	if t.c.Pattern != "" {
		s.words = append(s.words, keyword{"pattern", quoted(t.c.Pattern)})
	}
	return s
}

// TimeLayout is the one form of a timestamp: RFC 3339, UTC, exactly three decimals of a second.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Time is a timestamp in TimeLayout, from 1970 to 9999. The zero time stands for null or absent.
func Time() Type[time.Time] { return CodedString(&timestamp) }

var timestamp = Coded[time.Time]{
	Label: "timestamp", Format: "date-time",
	Pattern: `^(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$`,
	Parse: func(text []byte) (time.Time, string) {
		const problem = "must be a UTC timestamp like 2026-01-02T15:04:05.000Z"
		var again [len(TimeLayout)]byte
		if len(text) != len(TimeLayout) {
			return time.Time{}, problem
		}
		t, err := time.Parse(TimeLayout, string(text))
		if err != nil || string(t.AppendFormat(again[:0], TimeLayout)) != string(text) || checkTime(t) != "" {
			return time.Time{}, problem
		}
		return t, ""
	},
	Append: func(dst []byte, t time.Time) []byte { return t.UTC().AppendFormat(dst, TimeLayout) },
	Check:  checkTime,
	Empty:  time.Time.IsZero,
}

func checkTime(t time.Time) string {
	switch {
	case t.IsZero():
		return "must not be the zero time"
	case t.UTC().Year() < 1970 || t.UTC().Year() > 9999:
		return "must be a time from 1970 to 9999"
	case t.Nanosecond()%int(time.Millisecond) != 0:
		return "must be whole milliseconds"
	}
	return ""
}

// checkText refuses what no JSON document can carry.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return fail("must be valid UTF-8")
	}
	return nil
}

// appendString quotes s, which is valid UTF-8, in the shortest form.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func quoted(s string) string { return string(appendString(nil, s)) }
