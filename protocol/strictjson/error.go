package strictjson

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Error says which value of a document is refused and why.
type Error struct {
	Path    string // from the root: $.toParticipantIds[2]; a name that is no identifier is $["a b"]
	Message string // lower case, without a full stop and without the refused text

	absolute bool // the path already starts at the root of the document being decoded
}

// Error implements error.
func (e *Error) Error() string { return e.Path + ": " + e.Message }

// Fail refuses the value at path, relative to the value being checked and starting with "$". It is
// what the Check of an Object returns.
func Fail(path, message string) *Error { return &Error{Path: path, Message: message} }

// In returns a copy of e for a value that itself lies at path (starting with "$") of a larger
// document: for callers that decode a raw member in a second step.
func (e *Error) In(path string) *Error {
	return &Error{Path: path + strings.TrimPrefix(e.Path, "$"), Message: e.Message}
}

func fail(message string) error { return &Error{Path: "$", Message: message} }

// within moves err one level down: the caller found it in its member or element segment.
func within(err error, segment string) error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Path: "$" + segment, Message: err.Error()}
	}
	if e.absolute {
		return e
	}
	return e.In("$" + segment)
}

// rebase makes err relative again: the document that it is about is a value of a larger one.
func rebase(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e.In("$")
	}
	return err
}

// memberSegment is the path segment of a member; a hostile name is quoted and cut.
func memberSegment(name string) string {
	plain := name != "" && len(name) <= maxSegment
	for i := 0; plain && i < len(name); i++ {
		c := name[i]
		plain = c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if plain {
		return "." + name
	}
	if len(name) > maxSegment {
		name = strings.ToValidUTF8(name[:maxSegment], "") + "..."
	}
	return "[" + strconv.QuoteToASCII(name) + "]"
}

const maxSegment = 64 // bytes of a member name shown in a path

func elementSegment(i int) string { return "[" + strconv.Itoa(i) + "]" }

// syntax converts an error of the token layer. Its pointer starts at the root of the document.
func syntax(err error) error {
	if err == io.EOF {
		return fail("there is no JSON value")
	}
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		return fail(strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	var path strings.Builder
	path.WriteByte('$')
	for name := range s.JSONPointer.Tokens() {
		if _, err := strconv.ParseUint(name, 10, 31); err == nil {
			path.WriteString("[" + name + "]")
		} else {
			path.WriteString(memberSegment(name))
		}
	}
	e := &Error{Path: path.String(), absolute: true}
	switch {
	case errors.Is(s.Err, jsontext.ErrDuplicateName):
		e.Message = "duplicate member"
	case errors.Is(s.Err, io.ErrUnexpectedEOF):
		e.Message = "the document ends too early"
	default:
		e.Message = malformed(s.Err.Error()) + " at byte " + strconv.FormatInt(s.ByteOffset, 10)
	}
	return e
}

// malformed says what is wrong without repeating the bytes, which may be anybody's.
func malformed(detail string) string {
	switch {
	case strings.Contains(detail, "UTF-8"):
		return "invalid UTF-8"
	case strings.Contains(detail, "surrogate"):
		return "lone surrogate"
	}
	return "malformed JSON"
}
