package protocol

import (
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// The types of members, each one rule that Go, JSON Schema and the documentation share.

// PortableIDProblem says why id cannot be an identifier, or "". An identifier is also a file name on
// every system: 1 to MaxIDLength of A-Z a-z 0-9 . _ -, a letter or digit first, no dot last, and no
// device name of Windows alone or before a dot.
func PortableIDProblem(id string) string {
	const form = "must be letters, digits, dots, underscores and hyphens, a letter or digit first, no dot last"
	switch {
	case id == "":
		return "must not be empty"
	case len(id) > MaxIDLength:
		return "longer than 200 characters"
	case !isAlphanumeric(id[0]) || id[len(id)-1] == '.':
		return form
	}
	for i := 1; i < len(id); i++ {
		if c := id[i]; !isAlphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return form
		}
	}
	if isDeviceName(id) {
		return "must not be a device name of Windows"
	}
	return ""
}

// CheckPortableID is PortableIDProblem as an error with Code Data; label says which id it is.
func CheckPortableID(label, id string) error {
	if problem := PortableIDProblem(id); problem != "" {
		return DataError(ReasonMalformed, "invalid "+label+": it "+problem)
	}
	return nil
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isDeviceName(id string) bool {
	base, _, _ := strings.Cut(id, ".")
	switch strings.ToLower(base) {
	case "con", "prn", "aux", "nul":
		return true
	}
	if len(base) != 4 || base[3] < '1' || base[3] > '9' {
		return false
	}
	port := strings.ToLower(base[:3])
	return port == "com" || port == "lpt"
}

var portableID = strictjson.Rule{
	Label:    "portable id",
	MaxChars: MaxIDLength, Check: PortableIDProblem,
	Pattern:    `^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9_-])?$`,
	NotPattern: `^([cC][oO][nN]|[pP][rR][nN]|[aA][uU][xX]|[nN][uU][lL]|([cC][oO][mM]|[lL][pP][tT])[1-9])(\.|$)`,
}

// credential is the rule of a generation: the form of an id, never shown.
var credential = strictjson.Rule{
	Label:    "credential",
	MaxChars: MaxIDLength, Check: PortableIDProblem,
	Pattern: portableID.Pattern, NotPattern: portableID.NotPattern,
}

var generationRef = strictjson.Rule{
	Label: "generation reference", Limits: "16 lower-case hex digits",
	Pattern: "^[0-9a-f]{16}$",
	Check:   func(s string) string { return hexProblem(s, GenerationRefLen) },
}

var sha256Hex = strictjson.Rule{
	Label: "SHA-256", Limits: "64 lower-case hex digits", Pattern: "^[0-9a-f]{64}$",
	Check: func(s string) string { return hexProblem(s, 64) },
}

func hexProblem(s string, digits int) string {
	if _, err := hex.DecodeString(s); err != nil || len(s) != digits || strings.ToLower(s) != s {
		return "must be lower-case hex digits of full length"
	}
	return ""
}

// ResourceProblem says why uri cannot name a resource, or "": a lower-case scheme, a colon, and at
// least one character; no white space or control characters; up to MaxResource characters.
func ResourceProblem(uri string) string {
	const form = "must be a resource like file:src/main.go: a lower-case scheme, a colon, a name without white space"
	scheme, rest, found := strings.Cut(uri, ":")
	if !found || scheme == "" || rest == "" || scheme[0] < 'a' || scheme[0] > 'z' {
		return form
	}
	for i := 1; i < len(scheme); i++ {
		c := scheme[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '.' || c == '-') {
			return form
		}
	}
	if strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f || unicode.IsSpace(r) }) {
		return form
	}
	return ""
}

var resourceURI = strictjson.Rule{
	Label: "resource URI", MaxChars: MaxResource,
	Check:   ResourceProblem,
	Pattern: "^[a-z][a-z0-9+.-]*:[^\x00-\x20\x7f" + strictjson.Spaces + "]+$",
}

// sequence is a uint64 as SequenceDigits decimal digits, so that it sorts as text.
var sequence = strictjson.Coded[uint64]{
	Label: "sequence", Limits: "16 digits, from 1", Pattern: "^[0-9]{16}$",
	Parse: func(text []byte) (uint64, string) {
		n, ok := parseSequence(string(text))
		if !ok || n == 0 {
			return 0, "must be 16 digits, from 1"
		}
		return n, ""
	},
	Append: func(dst []byte, n uint64) []byte { return append(dst, FormatSequence(n)...) },
	Check: func(n uint64) string {
		if n == 0 || n > MaxSequence {
			return "must be a number of up to 16 digits, from 1"
		}
		return ""
	},
	Empty: func(n uint64) bool { return n == 0 },
}

// The types that many members share are made once: every process pays for making them.
var (
	idType      = strictjson.String[string](&portableID)
	line        = strictjson.Line(MaxLine) // the usual one-line text
	lines       = strictjson.List(line, 0, MaxListItems)
	nullableID  = strictjson.Nullable(idType)
	nullLine    = strictjson.Nullable(line)
	resource    = strictjson.String[string](&resourceURI)
	secret      = strictjson.String[string](&credential)
	genRef      = strictjson.String[string](&generationRef)
	transport   = strictjson.Line(MaxTransport)
	enforcement = strictjson.Enum(Guarded, Advisory)
	claimMode   = strictjson.Enum(Shared, Exclusive)
	obligation  = strictjson.Enum(ObligationNone, ObligationAcknowledge, ObligationReply)
	artifacts   = strictjson.List(strictjson.Nested(&artifactObject), 0, MaxListItems)
	authority   = strictjson.Enum(AuthorityHuman, AuthorityPolicy)
	idSet       = strictjson.Set(idType, 0, MaxListItems)
	timestamp   = strictjson.Time()
)
