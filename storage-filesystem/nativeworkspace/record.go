package nativeworkspace

import (
	"path/filepath"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/workspace"
)

const (
	maxRecordBytes = 64 * 1024
	maxNativeID    = 4096 // bytes; clients use UUIDs
	maxPath        = 16 * 1024
)

// record is the content of a file.
type record struct {
	adapterID       string
	nativeSessionID string
	cwd             string
	workspaceID     string
	source          protocol.WorkspaceSource
	git             *gitRecord // of a room in a repository
}

type gitRecord struct{ commonDir, worktreeRoot string }

var absolutePath = strictjson.String[string](&strictjson.Rule{
	Label: "path", Limits: "absolute", MaxBytes: maxPath,
	Check: func(path string) string {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return "must be an absolute path in its shortest form"
		}
		return ""
	},
})

var portableID = strictjson.String[string](&strictjson.Rule{
	Label: "portable id", MaxChars: protocol.MaxIDLength, Check: protocol.PortableIDProblem,
})

var gitObject = strictjson.Object[gitRecord]{
	Name: "git",
	Doc:  "The repository of the room.",
	Members: func() []strictjson.Member[gitRecord] {
		return []strictjson.Member[gitRecord]{
			strictjson.Field("commonDir", "same for all worktrees", func(g *gitRecord) *string { return &g.commonDir }, absolutePath),
			strictjson.Optional("worktreeRoot", "absent in a bare repository", func(g *gitRecord) *string { return &g.worktreeRoot }, absolutePath),
		}
	},
}

var recordObject = strictjson.Object[record]{
	Name:     "saved room",
	Doc:      "The room that a hooked session started in.",
	MaxBytes: maxRecordBytes,
	Members: func() []strictjson.Member[record] {
		return []strictjson.Member[record]{
			strictjson.Const[record]("schemaVersion", "of this file", 1),
			strictjson.Field("adapterId", "the client", func(r *record) *string { return &r.adapterID }, portableID),
			strictjson.Field("nativeSessionId", "the client's own id", func(r *record) *string { return &r.nativeSessionID },
				strictjson.String[string](&strictjson.Rule{Label: "text", MaxBytes: maxNativeID})),
			strictjson.Field("cwd", "where discovery starts again", func(r *record) *string { return &r.cwd }, absolutePath),
			strictjson.Field("workspaceId", "the room", func(r *record) *string { return &r.workspaceID }, portableID),
			strictjson.Field("source", "how it was found", func(r *record) *protocol.WorkspaceSource { return &r.source },
				strictjson.Enum(protocol.SourceConfig, protocol.SourceGit, protocol.SourceDirectory)),
			strictjson.Optional("git", "the repository, if any", func(r *record) **gitRecord { return &r.git },
				strictjson.Pointer(strictjson.Nested(&gitObject))),
		}
	},
	Check: func(r *record) *strictjson.Error {
		if r.source == protocol.SourceGit && r.git == nil {
			return strictjson.Fail("$.git", "is missing in a git room")
		}
		return nil
	},
	Rules: []string{"A git room has git."},
}

func decode(path string, data []byte) (record, error) {
	r, err := recordObject.Decode(data)
	if err != nil {
		return record{}, protocol.DataError(protocol.ReasonMalformed, "the saved room "+path+" cannot be used: "+err.Error()).Because(err)
	}
	return r, nil
}

func encode(s Session, d workspace.Descriptor) ([]byte, error) {
	r := record{
		adapterID: s.AdapterID, nativeSessionID: s.NativeID,
		cwd: d.Dir, workspaceID: d.ID, source: d.Source,
	}
	if d.Git != nil {
		r.git = &gitRecord{commonDir: d.Git.CommonDir, worktreeRoot: d.Git.WorktreeRoot}
	}
	data, err := recordObject.AppendIndent(nil, &r)
	if err != nil {
		return nil, protocol.DataError(protocol.ReasonMalformed, "the room of "+d.Dir+" cannot be saved: "+err.Error()).Because(err)
	}
	return data, nil
}

// room is what workspace.Rediscover has to know.
func (r record) room() workspace.Descriptor {
	d := workspace.Descriptor{ID: r.workspaceID, Source: r.source}
	if r.git != nil {
		d.Git = &workspace.Git{CommonDir: r.git.commonDir, WorktreeRoot: r.git.worktreeRoot}
	}
	return d
}
