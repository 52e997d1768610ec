package core_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// vendors are words that core must not know. One that is a common part of other words is matched as a
// word of its own.
var (
	vendors     = []string{"claude", "codex", "gemini", "kimi", "grok", "antigravity", "anthropic", "openai"}
	vendorWords = regexp.MustCompile(`\bgit\b`)
)

// TestNoVendorNames reads every identifier, string and comment of the module: what core does must not
// depend on whose client it is, nor on one version control system.
func TestNoVendorNames(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || path == "source_test.go" {
			return err
		}
		files++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, hit := range vendorNames(path, source) {
			t.Error(hit)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d files were read", files)
	}
}

func TestVendorNamesAreFound(t *testing.T) {
	for source, want := range map[string]int{
		"package p; var UseCodex = 1":               1,
		"package p; var x = `for Claude`":           1,
		"package p // as gemini does":               1,
		"package p; var x = \"run git status\"":     1,
		"package p; var sourceGit = 1":              1,
		"package p; var x = \"digits, legitimate\"": 0,
		"package p; var digit, Legit = 1, 2":        0,
	} {
		if got := vendorNames("p.go", []byte(source)); len(got) != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}

// vendorNames gives the place of every token that names a vendor.
func vendorNames(path string, source []byte) []string {
	var hits []string
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(path, -1, len(source)), source, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return hits
		}
		if tok != token.IDENT && tok != token.STRING && tok != token.COMMENT {
			continue
		}
		words := strings.ToLower(splitCamel(text))
		joined := strings.ToLower(text)
		hit := vendorWords.MatchString(words)
		for _, vendor := range vendors {
			hit = hit || strings.Contains(joined, vendor)
		}
		if hit {
			hits = append(hits, files.Position(pos).String()+": core names a vendor: "+text)
		}
	}
}

// splitCamel puts a space before every capital that follows a small letter.
func splitCamel(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}
