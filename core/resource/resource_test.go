package resource

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/acc-control-plane/acc/protocol"
)

func TestNormaliseGivesOneSpelling(t *testing.T) {
	for raw, want := range map[string]string{
		"file:a":                "file:a",
		"file:./a":              "file:a",
		"file:a//b":             "file:a/b",
		"file:x/../a":           "file:a",
		"file:../a":             "file:../a",
		"file:../../a":          "file:../../a",
		"file:../a/../b":        "file:../b",
		"file:a/../../b":        "file:../b",
		"file:/a/./b":           "file:/a/b",
		"file:/../a":            "file:/a",
		"file:src/**":           "file:src/**",
		"file:./src/./**":       "file:src/**",
		"file:./**":             WholeTree,
		"file:a/../**":          WholeTree,
		"file:/**":              "file:/**",
		"file:..//**":           "file:../**",
		"file:My Notes.txt":     "file:My%20Notes.txt",
		"file:100%25.txt":       "file:100%25.txt",
		"file:100%.txt":         "file:100%25.txt",
		"file:a%":               "file:a%25",
		"file:a%4":              "file:a%254",
		"file:%%41":             "file:%25A",
		"file:a%2541":           "file:a%2541", // the file is called a%41
		"file:%5Bid%5d/p.tsx":   "file:[id]/p.tsx",
		"file:%C3%9Cber%20uns":  "file:Über%20uns",
		"file:a%20b/%2e%2E/c":   "file:c",
		"file:///abs/a":         "file:/abs/a",
		"file:c:x":              "file:c:x",
		"file:a:b":              "file:a:b",
		"file:a?b[c]":           "file:a?b[c]",
		"db:./users//x":         "db:./users//x",
		"https://host/path/**":  "https://host/path/**",
		"vcs+x.y-1:refs/main":   "vcs+x.y-1:refs/main",
		"file:Ünïcode/日本語.txt":  "file:Ünïcode/日本語.txt",
		"file:.hidden/..almost": "file:.hidden/..almost",
	} {
		got, err := Normalise(raw)
		if err != nil || got != want {
			t.Errorf("Normalise(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
}

func TestNormaliseRefusesWhatMatchesNothing(t *testing.T) {
	for _, raw := range []string{
		"", " ", "a", ":a", "file:", "File:a", "FILE:src/x", "dB:x", "c:x", "C:/x", "c:", "file://host/a", "file://a",
		"file:a%2Fb", "file:a%5cb", "file:%2a", "file:src/%2A%2A", "file:a%00", "file:a%0Ab", "file:%FF", "file:%C3", "file:%20/%7F",
		"1file:a", "src/a.go", "file:src/", "file:/", "file:.", "file:a/..", "file:..", "file:../..", "file:/..",
		"file:*.go", "file:**", "file:a/*", "file:a/**/b", "file:**/a", "file:a/**/", "file:a**", "db:x/", "db:*", "db:a b",
		"file:a\nb", "file:a\x00b", "file:a\x7fb", "file:a\xffb", "file:" + strings.Repeat("a", 1024), "file:" + strings.Repeat(" ", 400),
	} {
		got, err := Normalise(raw)
		if protocol.CodeOf(err) != protocol.Usage {
			t.Errorf("Normalise(%q) = %q, %v; want a usage error", raw, got, err)
		}
	}
}

func TestOverlapComparesSegments(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"file:a", "file:a", true},
		{"file:a", "file:b", false},
		{"file:src/**", "file:src/a", true},
		{"file:src/**", "file:src", true},
		{"file:src/**", "file:srcs/a", false},
		{"file:src/**", "file:src/a/**", true},
		{"file:src/a/**", "file:src/b/**", false},
		{WholeTree, "file:a", true},
		{WholeTree, "file:a/**", true},
		{WholeTree, "file:/a", false},
		{WholeTree, "file:../a", false},
		{WholeTree, "file:..a", true},
		{"file:/**", "file:/a", true},
		{"file:/**", "file:a", false},
		{"db:a/**", "file:a/b", false},
		{"db:a/**", "db:a/b", true},
	} {
		if got := Overlap(c.a, c.b); got != c.want {
			t.Errorf("Overlap(%q, %q) = %v", c.a, c.b, got)
		}
		if got := Overlap(c.b, c.a); got != c.want {
			t.Errorf("Overlap(%q, %q) = %v", c.b, c.a, got)
		}
	}
}

func TestCoversTakesTheTargetAsItIs(t *testing.T) {
	if Covers("file:src/a", "file:src/**") {
		t.Error("a file called ** is not covered by its sibling")
	}
	if !Covers("file:src/**", "file:src/a") || Covers("file:src/a", "file:src") {
		t.Error("coverage goes down only")
	}
}

// names draws canonical names from an alphabet small enough to collide often, also deeper than lookups
// are listed.
func names(t *rapid.T) string {
	segment := rapid.SampledFrom([]string{"a", "b", "ab", "..", ".", "", "c d"})
	n := rapid.IntRange(1, 5).Draw(t, "depth")
	var parts []string
	if rapid.Bool().Draw(t, "deep") {
		parts = slices.Repeat([]string{"d"}, rapid.IntRange(maxDepth-2, maxDepth+2).Draw(t, "deeper"))
	}
	for range n {
		parts = append(parts, segment.Draw(t, "segment"))
	}
	raw := rapid.SampledFrom([]string{"file:", "file:/", "db:"}).Draw(t, "scheme") + strings.Join(parts, "/")
	if rapid.Bool().Draw(t, "glob") {
		raw += "/**"
	}
	name, err := Normalise(raw)
	if err != nil {
		t.Skip(err)
	}
	return name
}

func TestNormaliseIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := names(t)
		again, err := Normalise(name)
		if err != nil || again != name {
			t.Fatalf("Normalise(%q) = %q, %v", name, again, err)
		}
	})
}

// TestOverlapMeansACommonName compares Overlap with what it stands for: some concrete thing is covered
// by both names.
func TestOverlapMeansACommonName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := names(t), names(t)
		var common bool
		for _, name := range []string{a, b} {
			scheme, rest := split(name)
			dir, glob := strings.CutSuffix(rest, everything)
			things := []string{name}
			if glob {
				things = []string{scheme + dir, scheme + dir + "/witness"}
				switch dir {
				case ".":
					things = []string{scheme + ".", scheme + "witness"}
				case "": // the root itself has no canonical name
					things = []string{scheme + "/witness"}
				}
			}
			for _, thing := range things {
				common = common || Covers(a, thing) && Covers(b, thing)
			}
		}
		if Overlap(a, b) != common {
			t.Fatalf("Overlap(%q, %q) = %v, a common name exists: %v", a, b, !common, common)
		}
	})
}

// TestLookupFindsEveryOverlap: what Overlap finds by comparing, the keys find by looking up.
func TestLookupFindsEveryOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		held, asked := names(t), names(t)
		found := slices.Contains(Over(asked), held)
		if key, ok := Dir(asked); ok {
			found = found || slices.Contains(Dirs(held), key) && Overlap(held, asked)
		}
		if found != Overlap(held, asked) {
			t.Fatalf("claim %q, asked %q: found %v", held, asked, found)
		}
	})
}

// TestLookupKeysAreBounded: the deepest name is listed in a fixed number of places.
func TestLookupKeysAreBounded(t *testing.T) {
	if got := len(Dirs("file:" + strings.Repeat("d/", maxDepth+8) + "f")); got != maxDepth {
		t.Errorf("listed under %d keys", got)
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("file:a/../b/**")
	f.Add("file: \t/./**")
	f.Fuzz(func(t *testing.T, raw string) {
		name, err := Normalise(raw)
		if err != nil {
			return
		}
		if again, err := Normalise(name); err != nil || again != name {
			t.Fatalf("Normalise(%q) = %q, then %q, %v", raw, name, again, err)
		}
		if !Overlap(name, name) {
			t.Fatalf("%q does not overlap itself", name)
		}
	})
}
