package shell

import (
	"path"
	"slices"
	"strings"
)

// MaxCommandBytes is how much of a command line is looked at; a longer one names no file.
const MaxCommandBytes = 256 << 10

// WriteTargets gives the files that a command line is about to write, change, move or remove, each
// once, in the order in which they appear. One that ends in a slash stands for itself and everything
// below it. Relative ones start at the directory in which the command line runs. A command line that
// cannot be read gives none.
func WriteTargets(commandLine string) []string {
	if len(commandLine) > MaxCommandBytes {
		return nil
	}
	r := reader{}
	if !r.read(commandLine, 0) {
		return nil
	}
	return r.targets
}

// reader walks over the commands of a line.
type reader struct {
	targets []string
	dir     string // where cd went; relative to the start, or absolute
	lost    bool   // cd went where only the shell knows
}

// maxNesting bounds sh -c inside sh -c.
const maxNesting = 4

// place is a directory to come back to.
type place struct {
	dir  string
	lost bool
}

func (r *reader) read(line string, nesting int) bool {
	tokens, ok := lex(line)
	if !ok || nesting > maxNesting {
		return false
	}
	var command []token
	var outer []place
	piped, test := false, false // test: within [[ ]], where > compares
	for i := 0; i <= len(tokens); i++ {
		end := i == len(tokens)
		if !end && tokens[i].kind == redirect {
			if i+1 == len(tokens) || tokens[i+1].kind != word {
				return false
			}
			if !test {
				r.redirected(tokens[i].text, tokens[i+1])
			}
			i++
			continue
		}
		if !end && tokens[i].kind == word {
			switch t := tokens[i]; {
			case t.bare && t.text == "[[" && len(skipPrefixes(command)) == 0:
				test = true
			case t.bare && t.text == "]]":
				test = false
			}
			command = append(command, tokens[i])
			continue
		}
		here := place{r.dir, r.lost}
		r.command(command, nesting)
		command = command[:0]
		op := ""
		if !end {
			op = tokens[i].text
		}
		if piped || op == "|" || op == "|&" || op == "&" {
			r.dir, r.lost = here.dir, here.lost // each part of a pipeline runs in a shell of its own
		}
		piped = op == "|" || op == "|&"
		switch op {
		case "(":
			outer = append(outer, place{r.dir, r.lost})
		case ")":
			if len(outer) > 0 {
				last := outer[len(outer)-1]
				r.dir, r.lost, outer = last.dir, last.lost, outer[:len(outer)-1]
			}
		}
	}
	return true
}

// redirected notes the file of a redirection that writes.
func (r *reader) redirected(op string, target token) {
	switch op {
	case ">", ">>", ">|", "&>", "&>>", "<>":
		r.note(target)
	case ">&":
		if !digits(target.text) && target.text != "-" {
			r.note(target)
		}
	}
}

// devices are written all the time and belong to nobody.
var devices = []string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"}

// note keeps a file, if its name is known.
func (r *reader) note(t token) { r.keep(t, "") }

// noteTree keeps a file that may be a directory, with everything below it.
func (r *reader) noteTree(t token) { r.keep(t, "/") }

func (r *reader) keep(t token, ending string) {
	if !t.literal || t.text == "" || t.text == "-" || strings.ContainsRune(t.text, 0) {
		return
	}
	file := t.text
	if !path.IsAbs(file) {
		if r.lost {
			return
		}
		if r.dir != "" {
			file = r.dir + "/" + file
		}
	}
	if slices.Contains(devices, path.Clean(file)) || strings.HasPrefix(path.Clean(file), "/dev/fd/") {
		return
	}
	file = strings.TrimRight(file, "/") + ending
	if file == "" {
		file = "/"
	}
	if !slices.Contains(r.targets, file) {
		r.targets = append(r.targets, file)
	}
}

// changeDir follows a cd.
func (r *reader) changeDir(args []token) {
	args = operands(args, "")
	switch {
	case len(args) == 1 && args[0].literal && args[0].text != "-":
		dir := args[0].text
		if path.IsAbs(dir) {
			r.dir, r.lost = dir, false
		} else if r.dir == "" {
			r.dir = dir
		} else {
			r.dir += "/" + dir
		}
	default:
		r.lost = true
	}
}
