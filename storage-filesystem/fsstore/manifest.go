package fsstore

import (
	"encoding/hex"

	"github.com/acc-control-plane/acc/core"
	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/frame"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/index"
	"github.com/acc-control-plane/acc/storage-filesystem/fsstore/vfs"
)

const (
	indexDir     = "indexes/v1"
	pagesDir     = indexDir + "/pages"
	manifestFile = indexDir + "/cache.json"
	durableFile  = indexDir + "/durable.json" // the manifest whose pages a checkpoint has flushed
	maxManifest  = 16 << 10
	indexVersion = 1
)

func pageFile(name string) string { return pagesDir + "/" + name + ".json" }

// manifest says which pages are the roots of the indexes, and after which frame.
type manifest struct {
	place
	roots map[core.Index]string // an index that is not in it is empty
}

func (m *manifest) placeOf() place {
	if m == nil {
		return place{}
	}
	return m.place
}

// manifestJSON is the form of indexes/v1/cache.json.
type manifestJSON struct {
	store string // tag of the frames
	mark  markJSON
	roots []rootJSON
	check string // hash of all the rest: a file torn by a power cut is none
}

type rootJSON struct{ index, page string }

var manifestFormat = &strictjson.Object[manifestJSON]{
	Name: "index manifest", Doc: "The roots of the indexes.", MaxBytes: maxManifest,
	Members: func() []strictjson.Member[manifestJSON] {
		return []strictjson.Member[manifestJSON]{
			strictjson.Const[manifestJSON]("indexVersion", "of the pages", indexVersion),
			strictjson.Const[manifestJSON]("keysVersion", "of the rules by which records are listed", keysVersion),
			strictjson.Field("store", "tag of its frames", func(m *manifestJSON) *string { return &m.store }, strictjson.Line(16)),
			strictjson.Field("after", "frame up to which the indexes go", func(m *manifestJSON) *markJSON { return &m.mark }, strictjson.Nested(markFormat)),
			strictjson.Field("roots", "of the indexes that are not empty", func(m *manifestJSON) *[]rootJSON { return &m.roots },
				strictjson.List(strictjson.Nested(&strictjson.Object[rootJSON]{
					Name: "index root", Doc: "The root of one index.",
					Members: func() []strictjson.Member[rootJSON] {
						return []strictjson.Member[rootJSON]{
							strictjson.Field("index", "its name", func(r *rootJSON) *string { return &r.index }, strictjson.Line(100)),
							strictjson.Field("page", "name of its root", func(r *rootJSON) *string { return &r.page }, strictjson.Line(64)),
						}
					},
				}), 0, 100)),
			strictjson.Field("check", "SHA-256 of the compact form with this member empty", func(m *manifestJSON) *string { return &m.check }, strictjson.Text(64)),
		}
	},
}

func (m *manifest) encode(tag frame.Tag) ([]byte, error) {
	j := manifestJSON{store: hex.EncodeToString(tag[:]), mark: (&mark{place: m.place}).json()}
	for _, name := range core.Indexes {
		if root := m.roots[name]; root != "" {
			j.roots = append(j.roots, rootJSON{string(name), root})
		}
	}
	var err error
	if j.check, err = j.sum(); err != nil {
		return nil, err
	}
	return manifestFormat.AppendIndent(nil, &j)
}

// sum gives the value of check.
func (j manifestJSON) sum() (string, error) {
	j.check = ""
	compact, err := manifestFormat.Append(nil, &j)
	return index.Name(compact), err
}

// readManifest gives the manifest in a file, or nil if there is none that can be read as one of this store.
func readManifest(dir vfs.Dir, name string, tag frame.Tag) (*manifest, error) {
	raw, err := dir.ReadFile(name, maxManifest)
	if vfs.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(name, err)
	}
	return decodeManifest(raw, tag), nil
}

func decodeManifest(raw []byte, tag frame.Tag) *manifest {
	j, err := manifestFormat.Decode(raw)
	if err != nil || j.store != hex.EncodeToString(tag[:]) {
		return nil
	}
	if sum, err := j.sum(); err != nil || sum != j.check {
		return nil
	}
	m := &manifest{place: j.mark.place(), roots: map[core.Index]string{}}
	for _, r := range j.roots {
		if !index.ValidName(r.page) {
			return nil
		}
		m.roots[core.Index(r.index)] = r.page
	}
	return m
}

// bases are what indexes can be brought up to date from, the best first. The manifest is not flushed, and neither are
// its pages, so a power cut may leave it, or not, or without some of them; then the one that the last checkpoint
// made durable is older, and whole. The empty one, of a store without a frame, is right while the journal goes back
// to its beginning.
var bases = [...]string{manifestFile, durableFile, ""}

// readBase gives one of bases, or nil if there is none.
func readBase(dir vfs.Dir, base int, tag frame.Tag) (*manifest, error) {
	if bases[base] == "" {
		return &manifest{}, nil
	}
	return readManifest(dir, bases[base], tag)
}

// indexUnavailable says that what an index would answer is not known. A command makes it again.
func indexUnavailable(why string) *protocol.Error {
	return protocol.DataError(protocol.ReasonIndexUnavailable, "the indexes cannot be used: "+why).WithHint("acc doctor --repair")
}
