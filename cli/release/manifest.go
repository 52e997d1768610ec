package release

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
)

// ManifestName is the name of the manifest's file, in a package and in a generation.
const ManifestName = "manifest.json"

// UpdateProtocol is the version of the agreement between the updater of one release and the files of the
// next: how a generation is laid out, checked and activated. It changes when an older updater could not
// install a newer release.
const UpdateProtocol = 1

// Limits of a release.
const (
	MaxFiles     = 64
	MaxFileSize  = 128 << 20 // bytes
	MaxTotalSize = 512 << 20 // bytes of all files
	maxPath      = 200
	MaxManifest  = 256 << 10 // bytes of the manifest
)

// Manifest declares a release for one platform: what it is and each of its files. It is what is signed.
type Manifest struct {
	Name           string     // of the package without the platform
	Version        string     // x.y.z
	BuildID        string     // build.ID of all its executables
	Platform       string     // one of Platforms
	StoreContract  int        // protocol.StoreVersion of its executables
	UpdateProtocol int        // the updater that it needs
	Adapters       []string   // ids of the adapters that its executables have, sorted
	Files          []FileInfo // sorted by path; the manifest and its signatures are not among them
}

// FileInfo declares one regular file.
type FileInfo struct {
	Path   string // relative, with slashes
	Mode   Mode
	Size   int64  // bytes
	SHA256 string // 64 hexadecimal digits
}

// Describe declares a file with that content.
func Describe(path string, mode Mode, content []byte) FileInfo {
	sum := sha256.Sum256(content)
	return FileInfo{Path: path, Mode: mode, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// Mode says whether a file is a program.
type Mode string

// The modes.
const (
	Program Mode = "0755"
	Plain   Mode = "0644"
)

// Perm gives the permissions that a file has wherever it lies.
func (m Mode) Perm() fs.FileMode {
	if m == Program {
		return 0o755
	}
	return 0o644
}

// Platforms are what releases are built for, in the words of npm: operating system and architecture.
var Platforms = []Platform{
	{"linux-x64", "linux", "amd64"},
	{"linux-arm64", "linux", "arm64"},
	{"darwin-x64", "darwin", "amd64"},
	{"darwin-arm64", "darwin", "arm64"},
	{"win32-x64", "windows", "amd64"},
}

// Platform joins the name that packages have with the ones of the Go toolchain.
type Platform struct{ Name, GOOS, GOARCH string }

// Executable gives the file name of a program on the platform.
func (p Platform) Executable(name string) string {
	if p.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// ThisPlatform is the one that the process runs on; ok is false where no release is built for it.
func ThisPlatform() (p Platform, ok bool) {
	i := slices.IndexFunc(Platforms, func(p Platform) bool { return p.GOOS == runtime.GOOS && p.GOARCH == runtime.GOARCH })
	if i < 0 {
		return Platform{}, false
	}
	return Platforms[i], true
}

// Required are the programs, below bin, without which a release is none: one that cannot update itself
// would be the last.
var Required = []string{"acc", "acc-hook", "acc-mcp", "acc-worker"}

// IsPlainPath says whether a path may be declared: relative, with slashes, and nothing in it that any system
// gives a meaning of its own.
func IsPlainPath(path string) bool { return len(path) <= maxPath && pathForm().MatchString(path) }

// PackageOf gives the name of the npm package that carries the files for a platform.
func PackageOf(name, platform string) string { return name + "-" + platform }

// The forms are compiled when they are needed: a hook that knows what a manifest is may never see one.
var (
	packageName = form(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
	buildIDForm = form(`^[0-9a-f]{24}$`)
	digestForm  = form(`^[0-9a-f]{64}$`)
	pathForm    = form(`^` + segment + `(/` + segment + `)*$`)
)

// segment is an element of a path. It does not end with a dot, which Windows drops.
const segment = `[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9_-])?`

func form(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// DecodeManifest reads a manifest. Members that this build does not know are skipped, because an updater must
// read releases that are younger than itself; what it does know must be right. Errors are *protocol.Error.
func DecodeManifest(data []byte) (*Manifest, error) {
	m, err := manifestObject.Decode(data)
	if err != nil {
		return nil, protocol.DataError(ReasonManifestInvalid, "the manifest is refused: "+err.Error()).Because(err)
	}
	return &m, nil
}

// Encode gives the bytes of the manifest's file. They are the same for the same manifest.
func (m *Manifest) Encode() ([]byte, error) {
	data, err := manifestObject.AppendIndent(nil, m)
	if err != nil {
		return nil, protocol.DataError(ReasonManifestInvalid, "the manifest cannot be written: "+err.Error()).Because(err)
	}
	return data, nil
}

// Fingerprint identifies the content of a release by the bytes of its manifest, which declare the name, the
// mode, the size and the hash of every file. It is 24 hexadecimal digits.
func Fingerprint(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:12])
}

// File gives what is declared at a path, or false.
func (m *Manifest) File(path string) (FileInfo, bool) {
	i, found := slices.BinarySearchFunc(m.Files, path, func(f FileInfo, path string) int { return cmp.Compare(f.Path, path) })
	if !found {
		return FileInfo{}, false
	}
	return m.Files[i], true
}

// For gives the platform that the manifest names. It is known: Decode refuses others.
func (m *Manifest) For() Platform {
	i := slices.IndexFunc(Platforms, func(p Platform) bool { return p.Name == m.Platform })
	return Platforms[i]
}

var fileObject = &strictjson.Object[FileInfo]{
	Name: "file", Doc: "One regular file.", Open: true,
	Members: func() []strictjson.Member[FileInfo] {
		return []strictjson.Member[FileInfo]{
			strictjson.Field("path", "relative to the root of the package, with slashes", func(f *FileInfo) *string { return &f.Path },
				pattern("path", pathForm, maxPath, "must be a plain relative path")),
			strictjson.Field("mode", "whether it is a program", func(f *FileInfo) *Mode { return &f.Mode }, strictjson.Enum(Program, Plain)),
			strictjson.Field("size", "bytes", func(f *FileInfo) *int64 { return &f.Size }, strictjson.Int[int64](0, MaxFileSize)),
			strictjson.Field("sha256", "of its content", func(f *FileInfo) *string { return &f.SHA256 }, pattern("digest", digestForm, 64, "must be 64 hexadecimal digits")),
		}
	},
}

var manifestObject = &strictjson.Object[Manifest]{
	Name: "manifest", Doc: "A release for one platform.", Open: true, MaxBytes: MaxManifest,
	Members: func() []strictjson.Member[Manifest] {
		return []strictjson.Member[Manifest]{
			strictjson.Const[Manifest]("schemaVersion", "version of the manifest", 1),
			strictjson.Field("name", "of the package without the platform", func(m *Manifest) *string { return &m.Name }, pattern("package name", packageName, 150, "must be the name of an npm package")),
			strictjson.Field("version", "x.y.z", func(m *Manifest) *string { return &m.Version }, strictjson.String[string](&strictjson.Rule{
				Label: "stable version", MaxBytes: 32, Check: func(s string) string {
					if _, ok := ParseVersion(s); !ok {
						return "must be a stable version x.y.z"
					}
					return ""
				},
			})),
			strictjson.Field("buildId", "stamped into its executables", func(m *Manifest) *string { return &m.BuildID }, pattern("build id", buildIDForm, 24, "must be 24 hexadecimal digits")),
			strictjson.Field("platform", "operating system and architecture", func(m *Manifest) *string { return &m.Platform }, strictjson.Enum(platformNames()...)),
			strictjson.Field("storeContract", "of the stores that it reads and writes", func(m *Manifest) *int { return &m.StoreContract }, strictjson.Int(1, 1<<20)),
			strictjson.Field("updateProtocol", "of the updater that it needs", func(m *Manifest) *int { return &m.UpdateProtocol }, strictjson.Int(1, 1<<20)),
			strictjson.Field("adapters", "that its executables have", func(m *Manifest) *[]string { return &m.Adapters },
				strictjson.Set(strictjson.String[string](&strictjson.Rule{Label: "portable id", MaxBytes: 64, Check: protocol.PortableIDProblem}), 0, 64)),
			strictjson.Field("files", "sorted by path", func(m *Manifest) *[]FileInfo { return &m.Files }, strictjson.List(strictjson.Nested(fileObject), 1, MaxFiles)),
		}
	},
	Check: checkManifest,
	Rules: []string{
		"adapters and files are sorted; no two paths are the same on a system that ignores case, and none lies below another",
		"bin has the programs that a release needs; manifest.json and its signatures are not declared",
	},
}

// checkManifest is the rule across the members of a manifest.
func checkManifest(m *Manifest) *strictjson.Error {
	if !slices.IsSorted(m.Adapters) {
		return strictjson.Fail("$.adapters", "must be sorted")
	}
	var total int64
	seen := map[string]bool{}
	for i, f := range m.Files {
		at := fmt.Sprintf("$.files[%d].path", i)
		folded := strings.ToLower(f.Path)
		switch {
		case i > 0 && m.Files[i-1].Path >= f.Path:
			return strictjson.Fail(at, "must be sorted, and unlike the one before")
		case seen[folded]:
			return strictjson.Fail(at, "is another path in the same or other case")
		case folded == ManifestName || strings.HasPrefix(folded, ManifestName+"."):
			return strictjson.Fail(at, "is not declared: it is the manifest or its signature")
		}
		seen[folded] = true
		total += f.Size
	}
	if total > MaxTotalSize {
		return strictjson.Fail("$.files", "are too large together")
	}
	for i, f := range m.Files {
		for dir, rest := parent(strings.ToLower(f.Path)); rest; dir, rest = parent(dir) {
			if seen[dir] || dir == ManifestName {
				return strictjson.Fail(fmt.Sprintf("$.files[%d].path", i), "lies below another file")
			}
		}
	}
	for _, name := range Required {
		path := "bin/" + m.For().Executable(name)
		if f, ok := m.File(path); !ok || f.Mode != Program {
			return strictjson.Fail("$.files", path+" is missing or no program")
		}
	}
	return nil
}

// parent gives the directory of a path, and false at the root.
func parent(path string) (string, bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", false
	}
	return path[:i], true
}

func pattern(label string, form func() *regexp.Regexp, limit int, problem string) strictjson.Type[string] {
	return strictjson.String[string](&strictjson.Rule{
		Label: label, MaxBytes: limit,
		Check: func(s string) string {
			if !form().MatchString(s) {
				return problem
			}
			return ""
		},
	})
}

func platformNames() []string {
	names := make([]string, len(Platforms))
	for i, p := range Platforms {
		names[i] = p.Name
	}
	return names
}
