package demo

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

//go:embed payloads
var payloads embed.FS

// payload gives a captured payload with the strings at some pointers replaced. A pointer that the
// capture does not have is an error: the client would not have sent it.
func payload(name string, replace map[jsontext.Pointer]string) ([]byte, error) {
	captured, err := payloads.ReadFile("payloads/" + name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	in, enc := jsontext.NewDecoder(bytes.NewReader(captured)), jsontext.NewEncoder(&out)
	left := maps.Clone(replace)
	for {
		token, err := in.ReadToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("payload %s: %w", name, err)
		}
		if value, found := left[in.StackPointer()]; found && token.Kind() == '"' && !isName(in) {
			token = jsontext.String(value)
			delete(left, in.StackPointer())
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, fmt.Errorf("payload %s: %w", name, err)
		}
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("payload %s has no %v", name, slices.Sorted(maps.Keys(left)))
	}
	return out.Bytes(), nil
}

// isName says whether the token just read is the name of a member.
func isName(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 1
}
