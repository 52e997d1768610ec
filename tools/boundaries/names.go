package boundaries

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// vendorNames are the words by which a vendor or a client could be meant.
var vendorNames = []string{"claude", "anthropic", "codex", "openai", "gemini", "kimi", "moonshot", "grok", "antigravity"}

// VendorNames gives every identifier and string literal in the Go files of a directory that names a
// vendor. Comments are free: they may give an example.
func VendorNames(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		var s scanner.Scanner
		s.Init(set.AddFile(name, -1, len(text)), text, nil, 0)
		for {
			pos, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok != token.IDENT && tok != token.STRING {
				continue
			}
			for _, vendor := range vendorNames {
				if strings.Contains(strings.ToLower(lit), vendor) {
					found = append(found, fmt.Sprintf("%s: %s names a vendor", set.Position(pos), lit))
				}
			}
		}
	}
	return found, nil
}
