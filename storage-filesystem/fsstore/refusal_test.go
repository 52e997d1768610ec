package fsstore_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/core/coretest"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs/vfstest"
)

// tree gives every path below dir with its mode and content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := os.Lstat(path)
		if err != nil {
			return err
		}
		content := ""
		switch {
		case st.Mode().IsRegular():
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(raw)
		case st.Mode()&os.ModeSymlink != 0:
			content, _ = os.Readlink(path)
		}
		all[path] = st.Mode().String() + " " + content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestForeignIdentity opens directories that hold the store of somebody else: each is refused by Open,
// View and Update alike, and not one byte in it changes.
func TestForeignIdentity(t *testing.T) {
	const at = `"initialisedAt": "2026-11-30T09:00:00.000Z"`
	for _, c := range []struct {
		name, identity string
		want           protocol.Reason
		hint           string
	}{
		{"JavaScript, this contract", `{"storeVersion": 7, "workspaceId": "workspace_coretest", ` + at + `}`, protocol.ReasonStoreForeign, "acc import-js"},
		{"JavaScript, the earlier contract", `{"storeVersion": 6, "workspaceId": "workspace_coretest", ` + at + `}`, protocol.ReasonStoreForeign, "acc import-js"},
		{"unknown layout", `{"layout": "go-journal-9", "storeVersion": 7, "workspaceId": "workspace_coretest", ` + at + `}`, protocol.ReasonStoreForeign, ""},
		{"earlier contract", `{"layout": "go-journal-2", "storeVersion": 6, "workspaceId": "workspace_coretest", ` + at + `}`, protocol.ReasonStoreMigration, "acc doctor --migrate-store"},
		{"much earlier contract", `{"layout": "go-journal-2", "storeVersion": 5, "workspaceId": "workspace_coretest", ` + at + `}`, protocol.ReasonStoreForeign, ""},
		{"later contract", `{"layout": "go-journal-2", "storeVersion": 8, "workspaceId": "workspace_coretest", ` + at + `}`, protocol.ReasonStoreForeign, "acc update"},
		{"another workspace", `{"layout": "go-journal-2", "storeVersion": 7, "workspaceId": "workspace_other", ` + at + `}`, protocol.ReasonStoreForeign, ""},
		{"unknown member", `{"layout": "go-journal-2", "storeVersion": 7, "workspaceId": "workspace_coretest", "more": 1, ` + at + `}`, protocol.ReasonStoreCorrupt, ""},
		{"no JSON", `{"layout": `, protocol.ReasonStoreCorrupt, ""},
		{"empty", ``, protocol.ReasonStoreCorrupt, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := options(t)
			if err := os.MkdirAll(filepath.Join(opts.Dir, "state"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(opts.Dir, "protocol.json"), []byte(c.identity), 0o600); err != nil {
				t.Fatal(err)
			}
			before := tree(t, opts.Dir)
			_, err := fsstore.Open(t.Context(), opts)
			if reason(err) != c.want {
				t.Fatalf("open: %v (%s), want %s", err, reason(err), c.want)
			}
			var e *protocol.Error
			if e, _ = err.(*protocol.Error); e == nil || !strings.HasPrefix(e.Hint, c.hint) || !strings.Contains(e.Error(), "protocol.json") && e.Details["directory"] != opts.Dir {
				t.Errorf("the error neither helps nor says where: %#v", e)
			}
			// A process that opened before the identity was there meets it later.
			s := openAbsent(t, opts)
			if _, err := s.Update(t.Context(), setPair(1)); reason(err) != c.want {
				t.Errorf("update: %v, want %s", err, c.want)
			}
			if _, err := readPair(s); reason(err) != c.want {
				t.Errorf("view: %v, want %s", err, c.want)
			}
			if diff := cmp.Diff(before, tree(t, opts.Dir)); diff != "" {
				t.Errorf("a refused store changed:\n%s", diff)
			}
		})
	}
}

// openAbsent opens the store as a process did that started before its directory was there.
func openAbsent(t *testing.T, opts fsstore.Options) *fsstore.Store {
	t.Helper()
	aside := opts.Dir + ".aside"
	if err := os.Rename(opts.Dir, aside); err != nil {
		t.Fatal(err)
	}
	s, err := fsstore.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, opts.Dir); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSymbolicLinks replaces each directory and file of a store by a link to where it has moved.
func TestSymbolicLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	opts := options(t)
	mustSet(t, open(t, opts), 1)
	home := filepath.Dir(filepath.Dir(filepath.Dir(opts.Dir)))
	var paths []string
	for path := range tree(t, filepath.Join(home, "acc")) {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		rel, _ := filepath.Rel(opts.Dir, path)
		if strings.HasPrefix(rel, "tmp") || strings.HasPrefix(rel, "ephemeral") || rel == "applied.json" || rel == "reserve" || strings.HasSuffix(rel, ".spare") || rel == "journal/checkpoint.json" {
			continue // not read here, or replaced as a whole
		}
		aside := filepath.Join(home, "aside")
		if err := os.Rename(path, aside); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(aside, path); err != nil {
			t.Fatal(err)
		}
		before := tree(t, aside)
		s, err := fsstore.Open(t.Context(), opts)
		if err == nil {
			_, err = s.Update(t.Context(), func(tx core.Tx) error {
				if _, err := pair(tx); err != nil {
					return err
				}
				return setPair(2)(tx)
			})
		}
		if reason(err) != protocol.ReasonPathUnsafe {
			t.Errorf("%s behind a link: %v, want %s", rel, err, protocol.ReasonPathUnsafe)
		}
		if diff := cmp.Diff(before, tree(t, aside)); diff != "" {
			t.Errorf("%s behind a link changed:\n%s", rel, diff)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(aside, path); err != nil {
			t.Fatal(err)
		}
	}
	mustRead(t, open(t, opts), 1)
}

// TestDataHomeBehindLink: the user may keep the whole data home elsewhere.
func TestDataHomeBehindLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	opts := options(t)
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	opts.Dir = filepath.Join(link, "acc", "workspaces", coretest.WorkspaceID)
	mustSet(t, open(t, opts), 1)
	mustRead(t, open(t, opts), 1)
}

// TestForeignOwner gives parts of a store to another user.
func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, name := range []string{".", "head.json", "protocol.json", "journal/0000000000000001.log", "locks/writer.lock"} {
		opts := options(t)
		mustSet(t, open(t, opts), 1)
		path := filepath.Join(opts.Dir, name)
		if err := os.Lchown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		s, err := fsstore.Open(t.Context(), opts)
		if err == nil {
			_, err = s.Update(t.Context(), setPair(2))
		}
		if reason(err) != protocol.ReasonPathUnsafe || !strings.Contains(err.Error(), "another user") {
			t.Errorf("%s of another user: %v", name, err)
		}
		if err := os.Lchown(path, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
}

// TestModes: directories are 0700 and files 0600, whatever the umask.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes there")
	}
	opts := options(t)
	withUmask(t, 0o277, func() {
		s := open(t, opts)
		mustSet(t, s, 1)
		if err := s.Ephemeral().PutBeat(t.Context(), protocol.PresenceBeat{SessionID: "s", GenerationRef: protocol.GenerationRef("g"), HeartbeatAt: coretest.Start}); err != nil {
			t.Fatal(err)
		}
	})
	for path, entry := range tree(t, filepath.Dir(filepath.Dir(opts.Dir))) {
		mode, _, _ := strings.Cut(entry, " ")
		if mode != "drwx------" && mode != "-rw-------" {
			t.Errorf("%s has mode %s", path, mode)
		}
	}
}

// networkFS is the real file system as if it were mounted from another machine.
type networkFS struct{ vfs.FS }

type networkDir struct{ vfs.Dir }

func (n networkFS) Open(base, dir string) (vfs.Dir, error) {
	d, err := n.FS.Open(base, dir)
	if err != nil {
		return nil, err
	}
	return networkDir{d}, nil
}

func (n networkFS) Create(base, dir string) (vfs.Dir, error) {
	d, err := n.FS.Create(base, dir)
	if err != nil {
		return nil, err
	}
	return networkDir{d}, nil
}

func (networkDir) Kind() (string, bool, error) { return "nfs", true, nil }

func TestNetworkFileSystem(t *testing.T) {
	disk, _ := pairs(t, 1)
	if _, err := tryOnDisk(networkFS{disk.Process()}); reason(err) != protocol.ReasonStoreForeign {
		t.Errorf("open: %v", err)
	}
	empty := vfstest.NewDisk()
	s := onDisk(networkFS{empty.Process()})
	for range 2 { // the directory exists the second time
		if _, err := s.Update(context.Background(), setPair(1)); reason(err) != protocol.ReasonStoreForeign {
			t.Errorf("update: %v", err)
		}
	}
	if names := empty.Names(diskDir); len(names) > 0 {
		t.Errorf("something was made: %v", names)
	}
}

// TestAbsent: without Create nothing is made.
func TestAbsent(t *testing.T) {
	opts := options(t)
	opts.Create = false
	s := open(t, opts)
	if _, err := s.Update(t.Context(), setPair(1)); reason(err) != protocol.ReasonStoreAbsent {
		t.Errorf("update: %v", err)
	}
	mustRead(t, s, 0)
	if _, err := os.Lstat(opts.Dir); !os.IsNotExist(err) {
		t.Errorf("a directory was made: %v", err)
	}
}

// TestIdentityRace: processes that make the store at the same moment agree.
func TestIdentityRace(t *testing.T) {
	opts := options(t)
	const racers = 8
	results := make(chan error, racers)
	for i := range racers {
		go func() {
			s, err := fsstore.Open(t.Context(), opts)
			if err == nil {
				_, err = s.Update(t.Context(), func(tx core.Tx) error {
					id := string(rune('a' + i))
					if _, _, err := tx.Get(protocol.KindParticipant, id); err != nil {
						return err
					}
					return tx.Put(participant(id, id))
				})
			}
			results <- err
		}()
	}
	for range racers {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	err := open(t, opts).View(t.Context(), func(r core.Reader) error {
		found, err := r.Find(core.Query{Index: core.Participants})
		if len(found) != racers {
			t.Errorf("%d participants, want %d", len(found), racers)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
