package workspace

import (
	"path/filepath"
	"testing"

	"github.com/acc-control-plane/acc/storage-filesystem/datahome"
)

// What a hook asks on every call. File-system calls of Discover on Linux, counted with strace: 17 in
// /home/u/src/project, 28 in a linked worktree beside it, and for each directory below those 4 (is it a
// link, has it a configuration, a .git, is it a bare repository). CheckContainment adds 4, a name of a
// resource in the checkout 4.
func BenchmarkDiscover(b *testing.B) {
	t := &testing.T{}
	top := b.TempDir()
	main := repo(t, filepath.Join(top, "main"))
	linked := filepath.Join(top, "linked")
	run(t, main, "worktree", "add", "-q", "-b", "linked", linked)
	for name, dir := range map[string]string{
		"main":     mkdir(t, filepath.Join(main, "a", "b")),
		"worktree": mkdir(t, filepath.Join(linked, "a", "b")),
		"plain":    mkdir(t, filepath.Join(top, "a", "b")),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d, err := Discover(Request{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				if err := d.CheckContainment(datahome.Home{Root: filepath.Join(top, "data")}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
