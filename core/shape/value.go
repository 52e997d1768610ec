package shape

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// AppendDetails appends the details of an error as a JSON object, sorted by name. Plain values are written
// as they are, and anything else as its text; text that is not valid is repaired rather than lost.
func AppendDetails(dst []byte, details map[string]any) []byte {
	return appendMap(dst, reflect.ValueOf(details))
}

// Repaired gives s as valid UTF-8.
func Repaired(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func appendValue(dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case time.Time:
		return appendString(dst, v.UTC().Format(strictjson.TimeLayout))
	case error:
		return appendString(dst, v.Error())
	}
	r := reflect.ValueOf(value)
	switch r.Kind() {
	case reflect.String:
		return appendString(dst, r.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, r.Uint(), 10)
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range r.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, r.Index(i).Interface())
		}
		return append(dst, ']')
	case reflect.Map:
		return appendMap(dst, r)
	}
	return appendString(dst, fmt.Sprint(value))
}

func appendMap(dst []byte, m reflect.Value) []byte {
	members := map[string]any{}
	for _, k := range m.MapKeys() {
		members[Repaired(fmt.Sprint(k.Interface()))] = m.MapIndex(k).Interface()
	}
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(append(appendString(dst, name), ':'), members[name])
	}
	return append(dst, '}')
}

func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, Repaired(s)) // valid UTF-8 is always quoted
	return dst
}
