package resource

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/acc-control-plane/acc/protocol"
)

const (
	fileScheme = "file:"
	everything = "/**" // the only pattern, and only at the end
)

// WholeTree is the canonical name of everything in the checkout.
const WholeTree = "file:./**"

// Normalise gives the canonical spelling of a resource. It is idempotent. In a `file:` name empty and
// "." segments are dropped, ".." is resolved as far as there is something to resolve it against, and a
// leading slash and a final "/**" are kept; of percent-encoding only what a URI cannot do without is
// left: white space and "%" itself. Names of other schemes are only checked.
//
// Forms that could never match anything are refused with Code Usage, because a claim on them would
// look like protection: a trailing slash, any other use of "*", a path that can only be a directory (".",
// "..", "/"), and a host. So is a scheme of one letter, which is a drive, and one in capitals.
func Normalise(raw string) (string, error) {
	if err := check(raw); err != nil {
		return "", err
	}
	scheme, rest := split(raw)
	path, glob := strings.CutSuffix(rest, everything)
	if strings.Contains(path, "*") {
		return "", refuse(raw, "only a final /** is a pattern").WithHint("name the file, or the directory as " + scheme + "DIR/**")
	}
	if !glob && strings.HasSuffix(rest, "/") {
		return "", refuse(raw, "a trailing slash matches nothing").WithHint("write " + strings.TrimRight(raw, "/") + "/** for everything below")
	}
	if scheme != fileScheme {
		return raw, nil
	}
	path, err := decode(path)
	if err != nil {
		return "", refuse(raw, err.Error())
	}
	path = clean(encode(path), glob)
	if !glob && isDirectory(path) {
		return "", refuse(raw, "a directory itself matches no file").WithHint("write " + fileScheme + path + everything + " for everything in it")
	}
	name := fileScheme + path
	if glob {
		name += everything
	}
	if utf8.RuneCountInString(name) > protocol.MaxResource {
		return "", refuse(raw, "it is longer than the limit")
	}
	return name, nil
}

// Target gives the canonical name of one concrete thing that somebody is about to touch. Unlike a claim
// it is taken as it is: a "*" in it is part of the name.
func Target(raw string) (string, error) {
	if err := check(raw); err != nil {
		return "", err
	}
	scheme, rest := split(raw)
	if scheme != fileScheme {
		return raw, nil
	}
	path, err := decode(rest)
	if err != nil {
		return "", refuse(raw, err.Error())
	}
	return scheme + clean(encode(path), false), nil
}

// Overlap says whether two canonical names can mean the same thing: they are equal, or one of them
// ends in "/**" and the other lies at or below its directory, compared segment by segment.
func Overlap(a, b string) bool { return a == b || below(a, b) || below(b, a) }

// Covers says whether a claim on the canonical name claimed speaks for the one thing called target.
func Covers(claimed, target string) bool { return claimed == target || below(claimed, target) }

// below says whether name lies at or below the directory of the pattern.
func below(pattern, name string) bool {
	scheme, rest := split(pattern)
	dir, glob := strings.CutSuffix(rest, everything)
	if !glob {
		return false
	}
	other, rest := split(name)
	if scheme != other {
		return false
	}
	if scheme == fileScheme && dir == "." {
		return relativeInside(rest)
	}
	return rest == dir || strings.HasPrefix(rest, dir+"/")
}

// relativeInside says whether a canonical file path lies in the checkout.
func relativeInside(path string) bool {
	return !strings.HasPrefix(path, "/") && path != ".." && !strings.HasPrefix(path, "../")
}

// isDirectory says whether a cleaned path can only be a directory.
func isDirectory(path string) bool {
	return path == "." || path == "" || path == ".." || strings.HasSuffix(path, "/..")
}

// split cuts a checked name after the colon of its scheme.
func split(name string) (scheme, rest string) {
	i := strings.IndexByte(name, ':')
	return name[:i+1], name[i+1:]
}

// check refuses what is not a resource URI at all.
func check(raw string) error {
	i := strings.IndexByte(raw, ':')
	switch {
	case i < 1 || !schemeName(strings.ToLower(raw[:i])):
		return refuse(raw, "it has no scheme").WithHint("write file:PATH for a file")
	case i == 1:
		return refuse(raw, "one letter before a colon is a drive, not a scheme").WithHint("write file:./" + raw + " for a file of that name")
	case !schemeName(raw[:i]):
		return refuse(raw, "a scheme has no capitals").WithHint("write " + strings.ToLower(raw[:i]) + raw[i:] + ", or file:./" + raw + " for a file of that name")
	case i == len(raw)-1:
		return refuse(raw, "nothing follows the scheme")
	case !utf8.ValidString(raw):
		return refuse(raw, "it is not valid UTF-8")
	case utf8.RuneCountInString(raw) > protocol.MaxResource:
		return refuse(raw, "it is longer than the limit")
	}
	file := strings.HasPrefix(raw, fileScheme)
	if file && strings.HasPrefix(raw[i+1:], "//") && !strings.HasPrefix(raw[i+1:], "///") {
		return refuse(raw, "a file of another host is nobody's to claim").WithHint("write file:///PATH for an absolute path")
	}
	for _, r := range raw {
		if unicode.IsControl(r) || !file && unicode.IsSpace(r) {
			return refuse(raw, fmt.Sprintf("it contains %U", r))
		}
	}
	return nil
}

func schemeName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+.-", r)) {
			return false
		}
	}
	return true
}

// clean resolves a path as text. The result is "." for the checkout and "" for the root.
func clean(path string, glob bool) string {
	rooted := strings.HasPrefix(path, "/") || path == "" && glob // "file:/**" is everything from the root
	var out []string
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == "" || segment == ".":
		case segment != "..":
			out = append(out, segment)
		case len(out) > 0 && out[len(out)-1] != "..":
			out = out[:len(out)-1]
		case !rooted:
			out = append(out, segment) // leaves the checkout; kept, so that it never names something inside
		}
	}
	switch joined := strings.Join(out, "/"); {
	case rooted && joined == "":
		return ""
	case rooted:
		return "/" + joined
	case joined == "":
		return "."
	default:
		return joined
	}
}

func refuse(raw, why string) *protocol.Error {
	const show = 120
	if len(raw) > show {
		raw = raw[:show] + "…"
	}
	return protocol.UsageError(protocol.ReasonUnclaimable, fmt.Sprintf("resource %q cannot be claimed: %s", raw, why))
}
