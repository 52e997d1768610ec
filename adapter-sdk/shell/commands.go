package shell

import (
	"path"
	"strings"
)

// keyword says whether a word may stand before a command without being one.
func keyword(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "{", "!":
		return true
	}
	return false
}

// prefix says whether a command runs the one that follows it, and gives the letters of its options that take a value.
func prefix(name string) (valued string, ok bool) {
	switch name {
	case "command", "nohup", "builtin", "setsid":
		return "", true
	case "sudo":
		return "ugpCDhRTU", true
	case "doas":
		return "uC", true
	case "time":
		return "fo", true
	case "nice":
		return "n", true
	case "env":
		return "uCS", true
	case "exec":
		return "a", true
	case "timeout":
		return "ks", true
	case "stdbuf":
		return "ioe", true
	}
	return "", false
}

// writer says which operands a command writes.
type writer struct {
	valued string // letters of its options that take a value as the next word
	// which notes what of the operands is written; deep says that an option asks for directories too.
	which func(r *reader, args []token, deep bool)
}

// writerOf gives what is known of a command; which is nil of one that is none.
func writerOf(name string) writer {
	switch name {
	case "tee", "unlink", "rmdir":
		return writer{"", (*reader).all}
	case "touch":
		return writer{"drt", (*reader).all}
	case "truncate":
		return writer{"sr", (*reader).all}
	case "shred":
		return writer{"ns", (*reader).all}
	case "mkdir":
		return writer{"mZ", (*reader).all}
	case "rm":
		return writer{"", (*reader).removed}
	case "mv":
		return writer{"tS", (*reader).moved}
	case "cp":
		return writer{"tS", (*reader).copied}
	case "install":
		return writer{"tSmgo", (*reader).copied}
	case "rsync":
		return writer{"efT", (*reader).synced}
	case "ln":
		return writer{"tS", (*reader).linked}
	}
	return writer{}
}

// command notes what one simple command writes.
func (r *reader) command(words []token, nesting int) {
	words = skipPrefixes(words)
	if len(words) == 0 || !words[0].literal {
		return
	}
	name, args := path.Base(words[0].text), words[1:]
	if w := writerOf(name); w.which != nil {
		named := operands(args, w.valued)
		if dir, given := targetDirectory(args); given {
			named = append(named, dir)
		}
		w.which(r, named, recursive(args, w.valued))
		return
	}
	switch name {
	case "cd", "pushd":
		r.changeDir(args)
	case "popd":
		r.lost = true
	case "sed":
		r.inPlace(args, "i", "efl")
	case "perl":
		r.inPlace(args, "i", "eEIMmx")
	case "ruby":
		r.inPlace(args, "i", "eIrECx")
	case "dd":
		for _, a := range args {
			if file, ok := strings.CutPrefix(a.text, "of="); ok {
				r.note(token{text: file, literal: a.literal})
			}
		}
	case "git":
		r.git(args)
	case "sh", "bash", "dash", "zsh", "ksh":
		r.script(args, nesting)
	case "eval":
		r.eval(args, nesting)
	}
}

// skipPrefixes drops keywords, assignments and commands that only run another.
func skipPrefixes(words []token) []token {
	for len(words) > 0 {
		first := words[0]
		valued, prefix := prefix(path.Base(first.text))
		switch {
		case first.bare && keyword(first.text), assignment(first):
			words = words[1:]
		case first.literal && prefix:
			words = skipOptions(words[1:], valued)
			if path.Base(first.text) == "timeout" && len(words) > 0 {
				words = words[1:] // how long
			}
		default:
			return words
		}
	}
	return nil
}

// assignment says whether a word is NAME=VALUE.
func assignment(t token) bool {
	name, _, ok := strings.Cut(t.text, "=")
	if !ok || name == "" || digits(name[:1]) {
		return false
	}
	for _, c := range name {
		if c != '_' && c != '+' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// skipOptions drops leading options and their values.
func skipOptions(words []token, valued string) []token {
	for len(words) > 0 {
		text := words[0].text
		if text == "--" {
			return words[1:]
		}
		if !option(words[0]) {
			return words
		}
		words = words[1:]
		if takesNext(text, valued) && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}

func option(t token) bool { return len(t.text) > 1 && t.text[0] == '-' }

// takesNext says whether an option takes the next word for its value: the first letter of a cluster
// that takes one is its last.
func takesNext(text, valued string) bool {
	if strings.HasPrefix(text, "--") {
		return false // --name=value, or a flag
	}
	return strings.IndexAny(text, valued) == len(text)-1
}

// operands gives the words that are neither options nor their values.
func operands(args []token, valued string) []token {
	var out []token
	for i := 0; i < len(args); i++ {
		switch {
		case args[i].text == "--" && args[i].bare:
			return append(out, args[i+1:]...)
		case option(args[i]):
			if takesNext(args[i].text, valued) {
				i++
			}
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// targetDirectory gives the directory of -t DIR or --target-directory=DIR.
func targetDirectory(args []token) (token, bool) {
	for i, a := range args {
		if dir, ok := strings.CutPrefix(a.text, "--target-directory="); ok {
			return token{text: dir, literal: a.literal}, true
		}
		if a.text == "-t" && i+1 < len(args) {
			return args[i+1], true
		}
	}
	return token{}, false
}

// recursive says whether an option of rm, cp or rsync asks for whole directories.
func recursive(args []token, valued string) bool {
	for i := 0; i < len(args); i++ {
		switch text := args[i].text; {
		case text == "--" && args[i].bare:
			return false
		case text == "--recursive", text == "--archive":
			return true
		case !option(args[i]) || strings.HasPrefix(text, "--"):
		case strings.ContainsAny(text, "rRa"):
			return true
		case takesNext(text, valued):
			i++
		}
	}
	return false
}

func (r *reader) all(args []token, _ bool) {
	for _, a := range args {
		r.note(a)
	}
}

func (r *reader) trees(args []token) {
	for _, a := range args {
		r.noteTree(a)
	}
}

func (r *reader) removed(args []token, deep bool) {
	if deep {
		r.trees(args)
		return
	}
	r.all(args, false)
}

// copied notes the last operand, and what each source would be called in it: whether it is a directory
// only the file system knows. A directory that is copied to a name of its own may meet one that is there;
// one that is copied for its content meets everything.
func (r *reader) copied(args []token, deep bool) {
	if len(args) < 2 {
		return
	}
	last, sources := args[len(args)-1], args[:len(args)-1]
	into := strings.HasSuffix(last.text, "/") || len(sources) > 1
	if deep && !into {
		r.noteTree(last)
	} else {
		r.note(last)
	}
	for _, source := range sources {
		name := path.Base(source.text)
		switch {
		case !source.literal || !last.literal || name == "/":
		case name == "." || name == "..":
			if deep {
				r.noteTree(last)
			}
		case deep:
			r.noteTree(token{text: strings.TrimRight(last.text, "/") + "/" + name, literal: true})
		default:
			r.note(token{text: strings.TrimRight(last.text, "/") + "/" + name, literal: true})
		}
	}
}

// moved notes the sources, which may be directories and are gone afterwards, and where they come to lie.
func (r *reader) moved(args []token, _ bool) {
	if len(args) < 2 {
		return
	}
	r.trees(args[:len(args)-1])
	r.note(args[len(args)-1])
	for _, source := range args[:len(args)-1] {
		name := path.Base(source.text)
		if source.literal && args[len(args)-1].literal && name != "." && name != ".." && name != "/" {
			r.noteTree(token{text: strings.TrimRight(args[len(args)-1].text, "/") + "/" + name, literal: true})
		}
	}
}

// synced is copied, unless the destination is on another machine. A source with a slash behind it means
// what is in it.
func (r *reader) synced(args []token, deep bool) {
	if len(args) < 2 || strings.Contains(args[len(args)-1].text, ":") {
		return
	}
	last := args[len(args)-1]
	for _, source := range args[:len(args)-1] {
		if deep && strings.HasSuffix(source.text, "/") {
			r.noteTree(last)
		} else {
			r.copied([]token{source, {text: strings.TrimRight(last.text, "/") + "/", literal: last.literal}}, deep)
		}
	}
}

// linked notes the name of the link.
func (r *reader) linked(args []token, _ bool) {
	if len(args) == 1 {
		r.note(token{text: path.Base(args[0].text), literal: args[0].literal})
		return
	}
	r.copied(args, false)
}

// inPlace notes the files of an editor that was told to change them in place. Its first operand is the
// script unless an option gave one.
func (r *reader) inPlace(args []token, flag, valued string) {
	edits, script := false, false
	var files []token
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case text == "--":
			files = append(files, args[i+1:]...)
			i = len(args)
		case strings.HasPrefix(text, "--"):
			name, _, _ := strings.Cut(text, "=")
			edits = edits || name == "--in-place"
			if name == "--expression" || name == "--file" {
				script = true
				if name == text {
					i++
				}
			}
		case option(args[i]):
			cluster := text[1:]
			if at := strings.Index(cluster, flag); at >= 0 && !strings.ContainsAny(cluster[:at], valued) {
				edits = true
				cluster = cluster[:at] // what follows is the ending of the backup
			}
			if at := strings.IndexAny(cluster, valued); at >= 0 {
				script = script || strings.ContainsAny(cluster[at:at+1], "efE")
				if at == len(cluster)-1 {
					i++
				}
			} else if rest, ok := strings.CutPrefix(text, "-"+flag); ok && strings.HasSuffix(rest, "e") && rest != "" {
				script = true // -ie is -i with the ending "e" to sed, and -i -e to most who write it
				i++
			}
		default:
			files = append(files, args[i])
		}
	}
	if !edits {
		return
	}
	if len(files) > 0 && files[0].text == "" && !files[0].bare {
		files = files[1:] // BSD's sed -i '': no backup
	}
	if !script && len(files) > 0 {
		files = files[1:]
	}
	r.all(files, false)
}

// git notes the paths that restore, checkout, rm and mv change in the work tree. All of them take
// directories.
func (r *reader) git(args []token) {
	here := place{r.dir, r.lost}
	defer func() { r.dir, r.lost = here.dir, here.lost }()
	for len(args) > 0 && option(args[0]) {
		if args[0].text == "-C" && len(args) > 1 {
			r.changeDir(args[1:2])
		}
		if (args[0].text == "-C" || args[0].text == "-c") && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	switch rest := args[1:]; args[0].text {
	case "restore":
		r.trees(operands(rest, "s"))
	case "rm":
		r.removed(operands(rest, ""), recursive(rest, ""))
	case "mv":
		r.moved(operands(rest, ""), true)
	case "checkout":
		for i, a := range rest {
			if a.text == "--" {
				r.trees(rest[i+1:])
				return
			}
			if a.text == "--orphan" {
				return
			}
		}
		if named := operands(rest, "bB"); len(named) > 1 {
			r.trees(named[1:]) // behind the commit that they are taken from
		}
	}
}

// eval reads the words of eval as the line that they make together, in the same shell.
func (r *reader) eval(args []token, nesting int) {
	words := make([]string, len(args))
	for i, a := range args {
		if !a.literal {
			return
		}
		words[i] = a.text
	}
	inner := *r
	if inner.read(strings.Join(words, " "), nesting+1) {
		*r = inner
	}
}

// script reads the text of sh -c.
func (r *reader) script(args []token, nesting int) {
	for i, a := range args {
		if !option(a) {
			return
		}
		if strings.HasPrefix(a.text, "--") || !strings.HasSuffix(a.text, "c") {
			continue
		}
		if i+1 < len(args) && args[i+1].literal {
			inner := reader{dir: r.dir, lost: r.lost, targets: r.targets}
			if inner.read(args[i+1].text, nesting+1) {
				r.targets = inner.targets
			}
		}
		return
	}
}
