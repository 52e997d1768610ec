package resource

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FromPath gives the `file:` name of a path with slashes, in which nothing is percent-encoded.
func FromPath(path string) string { return fileScheme + encode(path) }

// Path gives the path of a `file:` name, without percent-encoding; ok is false for other schemes. Errors
// have Code Usage.
func Path(name string) (path string, ok bool, err error) {
	rest, ok := strings.CutPrefix(name, fileScheme)
	if !ok {
		return "", false, nil
	}
	if err := check(name); err != nil {
		return "", true, err
	}
	if path, err = decode(rest); err != nil {
		return "", true, refuse(name, err.Error())
	}
	return path, true, nil
}

// Scheme gives what stands before the first colon of a name if it could be a scheme, whatever its letter
// case and however short.
func Scheme(name string) (scheme string, ok bool) {
	scheme, _, ok = strings.Cut(name, ":")
	return scheme, ok && scheme != "" && schemeName(strings.ToLower(scheme))
}

// encode spells white space and "%" as a URI does, and leaves the rest as people read it.
func encode(path string) string {
	if strings.IndexFunc(path, encoded) < 0 {
		return path
	}
	var b strings.Builder
	for _, r := range path {
		if !encoded(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func encoded(r rune) bool { return r == '%' || unicode.IsSpace(r) }

// decode undoes percent-encoding; a "%" that begins none stands for itself. What no part of a path can
// hold is refused where it is encoded, so that nothing becomes a separator or a pattern by being decoded.
func decode(path string) (string, error) {
	if !strings.Contains(path, "%") {
		return path, nil
	}
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if path[i] != '%' || i+2 >= len(path) || !hex(path[i+1]) || !hex(path[i+2]) {
			out = append(out, path[i])
			continue
		}
		c := value(path[i+1])<<4 | value(path[i+2])
		if strings.IndexByte("/\\*", c) >= 0 {
			return "", fmt.Errorf("%s in it stands for %q, which is part of no file name", path[i:i+3], c)
		}
		out = append(out, c)
		i += 2
	}
	if !utf8.Valid(out) {
		return "", errors.New("what is percent-encoded in it is not valid UTF-8")
	}
	for _, r := range string(out) {
		if unicode.IsControl(r) {
			return "", fmt.Errorf("it contains %U", r)
		}
	}
	return string(out), nil
}

func hex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func value(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
