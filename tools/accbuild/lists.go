package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The two files of module cli that name adapters.
const (
	hooksFile      = "registry/adapters.go"
	installersFile = "registry/clients/adapters.go"
)

// listed is one adapter of a build.
type listed struct {
	name   string // of its module's last element, without "adapter-"
	module string
	live   bool // has a package live
}

func newListed(module string, live bool) listed {
	base := path.Base(module)
	if major := strings.TrimPrefix(base, "v"); major != base && strings.Trim(major, "0123456789") == "" {
		base = path.Base(path.Dir(module)) // example.com/adapter-foo/v2
	}
	return listed{name: strings.TrimPrefix(base, "adapter-"), module: module, live: live}
}

// parseList reads the adapters out of the text of hooksFile, in order.
func parseList(text []byte) ([]listed, error) {
	file, err := parser.ParseFile(token.NewFileSet(), hooksFile, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	imports := map[string]string{}
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if spec.Name != nil {
			imports[spec.Name.Name] = p
		}
	}
	var all []listed
	ast.Inspect(file, func(n ast.Node) bool {
		entry, ok := n.(*ast.CompositeLit)
		if !ok || entry.Type != nil || len(entry.Elts) != 2 {
			return true
		}
		hook, ok := strings.CutSuffix(imports[packageOf(entry.Elts[0])], "/hook")
		if !ok {
			err = fmt.Errorf("%s has an entry that is not NAME.New of a package hook", hooksFile)
			return false
		}
		all = append(all, newListed(hook, packageOf(entry.Elts[1]) != ""))
		return false
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s names no adapter", hooksFile)
	}
	return all, err
}

// packageOf gives the package word of an expression PACKAGE.New; "" for any other, such as nil.
func packageOf(e ast.Expr) string {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "New" {
		return ""
	}
	if word, ok := selector.X.(*ast.Ident); ok {
		return word.Name
	}
	return ""
}

// without drops adapters by name. A name that is none of them is an error.
func without(all []listed, names []string) (kept, dropped []listed, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(a listed) bool { return a.name == name }) {
			var known []string
			for _, a := range all {
				known = append(known, a.name)
			}
			return nil, nil, fmt.Errorf("there is no adapter %s to leave out; there are %s", name, strings.Join(known, ", "))
		}
	}
	for _, a := range all {
		if slices.Contains(names, a.name) {
			dropped = append(dropped, a)
		} else {
			kept = append(kept, a)
		}
	}
	return kept, dropped, nil
}

// words gives each adapter an identifier of its own.
func words(all []listed) []string {
	var taken []string
	for _, a := range all {
		word := strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
				return r
			}
			return -1
		}, strings.ToLower(a.name))
		if word == "" || word[0] <= '9' || token.IsKeyword(word) || word == "entry" || word == "assembled" || word == "installkit" {
			word = "adapter" + word
		}
		unique := word
		for n := 2; slices.Contains(taken, unique) || slices.Contains(taken, unique+"live"); n++ {
			unique = word + strconv.Itoa(n)
		}
		taken = append(taken, unique, unique+"live")
	}
	var own []string
	for i := 0; i < len(taken); i += 2 {
		own = append(own, taken[i])
	}
	return own
}

// hooksText writes hooksFile.
func hooksText(all []listed) ([]byte, error) {
	var imports, entries []string
	for i, word := range words(all) {
		live := "nil"
		imports = append(imports, fmt.Sprintf("%s %q", word, all[i].module+"/hook"))
		if all[i].live {
			imports = append(imports, fmt.Sprintf("%s %q", word+"live", all[i].module+"/live"))
			live = word + "live.New"
		}
		entries = append(entries, "\t{"+word+".New, "+live+"},\n")
	}
	return source("registry", imports,
		"// assembled are the adapters of this build. tools/accbuild writes this file for a build with others.\nvar assembled = []entry{\n"+strings.Join(entries, "")+"}\n")
}

// installersText writes installersFile.
func installersText(all []listed) ([]byte, error) {
	imports := []string{`"github.com/acc-control-plane/acc/adapter-sdk/installkit"`}
	var entries []string
	for i, word := range words(all) {
		imports = append(imports, fmt.Sprintf("%s %q", word, all[i].module+"/install"))
		entries = append(entries, "\t"+word+".New,\n")
	}
	return source("clients", imports,
		"// assembled are the installers of this build. tools/accbuild writes this file for a build with others.\nvar assembled = []func() (*installkit.Installer, error){\n"+strings.Join(entries, "")+"}\n")
}

func source(name string, imports []string, declaration string) ([]byte, error) {
	slices.SortFunc(imports, func(a, b string) int { return strings.Compare(quoted(a), quoted(b)) })
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", name)
	if len(imports) > 0 {
		fmt.Fprintf(&b, "import (\n\t%s\n)\n\n", strings.Join(imports, "\n\t"))
	}
	b.WriteString(declaration)
	return format.Source(b.Bytes())
}

// quoted is the path of an import line.
func quoted(line string) string { return line[strings.Index(line, `"`):] }
