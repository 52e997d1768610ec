package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteTargets(t *testing.T) {
	tests := []struct {
		name, line string
		want       []string
	}{
		{"redirections", "a > 1; b >> 2; c >| 3; d 2> 4; e &> 5; f &>>6; g >&7x; h <> 8", []string{"1", "2", "3", "4", "5", "6", "7x", "8"}},
		{"descriptors", "a 2>&1 >&2 1>&- <&3", nil},
		{"reading", "cat < in; grep x file; ls a b; diff a b", nil},
		{"devices", "a > /dev/null 2>/dev/stderr; tee /dev/tty; b >/dev/fd/3", nil},
		{"number of a descriptor or a word", "echo 2 >out; echo x2>out2", []string{"out", "out2"}},
		{"quotes", `echo > 'a b'; echo > "c d"; echo > e\ f; echo > g'h'"i"`, []string{"a b", "c d", "e f", "ghi"}},
		{"quotes with escapes", `echo > $'a b'; echo > c$'\'d'; rm $'e\x66' "$'g'"; tee $'h`, nil},
		{"quotes with escapes that are whole", `echo > $'a b'; echo > c$'\'d'; rm $'e\x66' "\$'g'"`, []string{"a b", "c'd", "$'g'"}},
		{"comparisons", "if [[ a > b && (c > d) ]]; then touch e; fi; (( n > 5 )) && touch f; for ((i=0; i<9; i++)); do touch g; done; [[ x ]] > h; echo [[ > i", []string{"e", "f", "g", "h", "i"}},
		{"brackets in brackets are no arithmetic", "((touch a > b); touch c)", []string{"b", "a", "c"}},
		{"eval", `eval 'cd s; rm a'; touch b; eval rm c; eval "$X"; eval "rm 'd"`, []string{"s/a", "s/b", "s/c"}},
		{"only the shell knows", "echo > $OUT; rm \"$f\" `g` $(h) *.go ~/x {a,b} a? [ab]; tee ${x}y", nil},
		{"a dollar that is only a dollar", `touch 'a$b' "c$" a\$b`, []string{"a$b", "c$"}},
		{"substitutions hide what they run", "echo $(rm -rf x) `rm y`", nil},
		{"comments", "touch a # rm b > c\ntouch d", []string{"a", "d"}},
		{"here-document", "cat > out <<EOF\nrm x > y\nEOF\ntouch z", []string{"out", "z"}},
		{"here-document with tabs and quotes", "cat <<-'E O' >out\n\tE O\ntouch z", []string{"out", "z"}},
		{"two here-documents", "cat <<A <<B >o\n> a\nA\n> b\nB\ntouch z", []string{"o", "z"}},
		{"here-string", "tee out <<< 'x > y'", []string{"out"}},
		{"operands", "tee -a 1 2; touch -d now 3; truncate -s 0 4; rm -f 5 6; unlink 7; shred -n 3 8; mkdir -p -m 755 9; rmdir x", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "x"}},
		{"whole directories", "rm -r a; rm -fR b/ c; rm --recursive d; rm -- -r; rm -rf /", []string{"a/", "b/", "c/", "d/", "-r", "/"}},
		{"copies of directories", "cp -r a b; cp -a x/y z/; cp -R 1 2 3; cp -r p/. q", []string{"b/", "b/a/", "z", "z/y/", "3", "3/1/", "3/2/", "q/"}},
		{"after a double hyphen", "rm -- -x -y", []string{"-x", "-y"}},
		{"copies", "cp a/b c; cp -t d e", []string{"c", "c/b", "d", "d/e"}},
		{"install", "install -m 644 src /usr/bin", []string{"/usr/bin", "/usr/bin/src"}},
		{"moves", "mv a b; mv x/y z dir/", []string{"a/", "b", "b/a/", "x/y/", "z/", "dir", "dir/y/", "dir/z/"}},
		{"links", "ln -s ../t l; ln -s /a/b", []string{"l", "l/t", "b"}},
		{"rsync", "rsync -av a b; rsync -av -e ssh a host:b; rsync -r c/ d", []string{"b", "b/a/", "d/"}},
		{"sed", "sed -i s/a/b/ f; sed -i.bak -e x g h; sed -n p i; sed -ne p -i j; sed --in-place s k; sed -ie s/a/b/ l; sed -i '' s/a/b/ m; sed -es/i/j/ n", []string{"f", "g", "h", "j", "k", "l", "m"}},
		{"perl and ruby", "perl -pi -e 's/a/b/' f g; perl -ne 'print' h; ruby -i -pe 1 k; perl -i.bak -pe x l; perl script.pl m", []string{"f", "g", "k", "l"}},
		{"dd", "dd if=a of=b bs=1", []string{"b"}},
		{"git", "git restore --staged a; git checkout -- b c; git checkout main; git checkout HEAD~1 i; git checkout -b new main; git checkout --orphan x main; git -C sub -c x=y restore -s HEAD d; git rm e; git mv f g; git status; git diff > h", []string{"a/", "b/", "c/", "i/", "sub/d/", "e", "f/", "g", "g/f/", "h"}},
		{"prefixes", "A=1 B=2 sudo -u root rm a; nohup nice -n 5 env -i C=3 touch b; command time -p tee c; exec rm d; timeout -k 5 10s rm e; stdbuf -o L tee f; doas -u root rm g", []string{"a", "b", "c", "d", "e", "f", "g"}},
		{"keywords", "if true; then rm a; else touch b; fi; while read x; do rm c; done; { rm d; }; ! rm e", []string{"a", "b", "c", "d", "e"}},
		{"a path for a command", "/bin/rm a; ./rm b", []string{"a", "b"}},
		{"directories", "cd sub && touch a; cd .. ; touch b; (cd /x; touch c); touch d; cd $W; touch e /f", []string{"sub/a", "sub/../b", "/x/c", "sub/../d", "/f"}},
		{"a pipeline has shells of its own", "cd a | cd b; touch c; cd d & touch e", []string{"c", "e"}},
		{"a shell in a shell", `sh -c 'cd s; rm "a b"'; bash -lc "touch b"; bash script c; sh -c "$X"`, []string{"s/a b", "b"}},
		{"continuation", "rm \\\n a", []string{"a"}},
		{"once", "touch a a; touch a", []string{"a"}},
		{"unparsable", "rm 'a", nil},
		{"an unfinished document", "rm a; cat <<E\nx", nil},
		{"a redirection of nothing", "rm a >", nil},
		{"arithmetic", "x=$((1>0)); touch a", []string{"a"}},
		{"words like options", "touch -", nil},
		{"unknown commands", "frobnicate a > b", []string{"b"}},
		{"xargs is not followed", "ls | xargs rm", nil},
		{"nothing", " \n ", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, WriteTargets(tt.line)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.line, diff)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	if got := WriteTargets("rm a " + strings.Repeat("#", MaxCommandBytes)); got != nil {
		t.Errorf("an endless line gave %v", got)
	}
	nested := "rm a"
	for range 8 {
		nested = "sh -c " + `'` + strings.ReplaceAll(nested, `'`, `'\''`) + `'`
	}
	if got := WriteTargets(nested); got != nil {
		t.Errorf("endless nesting gave %v", got)
	}
}

// FuzzWriteTargets: no command line crashes or hangs the recogniser, and what it names is a file.
func FuzzWriteTargets(f *testing.F) {
	for _, s := range []string{"rm a > b", "cat <<E >x\ny\nE\n", "sed -i 's/a/b/' $(f) \"g$h\" `i`", "sh -c 'sh -c \"rm x\"'", "(cd a; mv b c)|d&e", "${x:-'y'}$'z\\''"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, target := range WriteTargets(line) {
			if target == "" || strings.ContainsRune(target, 0) {
				t.Errorf("%q names %q", line, target)
			}
		}
	})
}
