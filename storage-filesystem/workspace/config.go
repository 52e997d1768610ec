package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/protocol"
	"github.com/acc-control-plane/acc/protocol/strictjson"
	"github.com/acc-control-plane/acc/storage-filesystem/internal/smallfile"
)

// ConfigName is the file that acc config init writes, the only one that acc ever has in a project.
const ConfigName = "acc.workspace.json"

// Bounds of a configuration.
const (
	ConfigSchemaVersion = 1
	MaxConfigBytes      = 64 * 1024
	MaxConfigRoots      = 64
	MaxRequiredAdapters = 64
)

// Config is the content of an acc.workspace.json.
type Config struct {
	WorkspaceID      string
	DisplayName      string   // optional: the name of the directory
	Roots            []string // relative to the file, never leaving its directory; nil: that directory
	Policy           *Policy  // optional
	RequiredAdapters []string // a note to people; nothing is enforced
	Extensions       protocol.Extensions
}

// Policy is what a project asks of the sessions in it.
type Policy struct {
	ClaimMode          protocol.Enforcement // a note to people; nothing is enforced
	ContextBudgetBytes int                  // of what a hook projects; 0: protocol.DefaultHookBudget
}

// runtimeKeys are kinds of runtime state. Somebody who wrote them by hand must learn that they do not
// belong here, not that they are misspelt.
var runtimeKeys = []string{
	"sessions", "participants", "messages", "claims", "receipts", "intents", "events", "tokens", "credentials",
}

var portableID = strictjson.String[string](&strictjson.Rule{
	Label: "portable id", MaxChars: protocol.MaxIDLength, Check: protocol.PortableIDProblem,
})

var configRoot = strictjson.String[string](&strictjson.Rule{
	Label: "path", Limits: "relative, inside the directory of the file", MaxChars: protocol.MaxLine, Check: rootProblem,
})

var policyObject = strictjson.Object[Policy]{
	Name: "policy",
	Doc:  "What a project asks of the sessions in it.",
	Members: func() []strictjson.Member[Policy] {
		return []strictjson.Member[Policy]{
			strictjson.Optional("claimMode", "a note to people", func(p *Policy) *protocol.Enforcement { return &p.ClaimMode },
				strictjson.Enum(protocol.Advisory, protocol.Guarded)),
			strictjson.Optional("contextBudgetBytes", "size of what a hook projects", func(p *Policy) *int { return &p.ContextBudgetBytes },
				strictjson.Int(1, protocol.MaximumHookBudget)),
		}
	},
}

var configObject = strictjson.Object[Config]{
	Name:     "configuration",
	Doc:      "The content of an acc.workspace.json.",
	MaxBytes: MaxConfigBytes,
	Members: func() []strictjson.Member[Config] {
		return []strictjson.Member[Config]{
			strictjson.Const[Config]("schemaVersion", "of this file", ConfigSchemaVersion),
			strictjson.Field("workspaceId", "the room", func(c *Config) *string { return &c.WorkspaceID }, portableID),
			strictjson.Optional("displayName", "for people", func(c *Config) *string { return &c.DisplayName }, strictjson.Line(protocol.MaxLine)),
			strictjson.Optional("roots", "directories of the room", func(c *Config) *[]string { return &c.Roots },
				strictjson.Set(configRoot, 1, MaxConfigRoots)),
			strictjson.Optional("policy", "requests to sessions", func(c *Config) **Policy { return &c.Policy },
				strictjson.Pointer(strictjson.Nested(&policyObject))),
			strictjson.Optional("requiredAdapters", "a note to people", func(c *Config) *[]string { return &c.RequiredAdapters },
				strictjson.Set(portableID, 0, MaxRequiredAdapters)),
			strictjson.Bag("extensions", "facts of others", func(c *Config) *protocol.Extensions { return &c.Extensions }),
		}
	},
}

// ConfigObject is the table of the file, for JSON Schema and documentation.
func ConfigObject() *strictjson.Object[Config] { return &configObject }

// ParseConfig decodes and checks a configuration. Errors have Code Data and name the member.
func ParseConfig(data []byte) (Config, error) {
	c, err := configObject.Decode(data)
	if err == nil {
		return c, nil
	}
	var refused *strictjson.Error
	if errors.As(err, &refused) {
		if key := strings.TrimPrefix(refused.Path, "$."); slices.Contains(runtimeKeys, key) {
			return Config{}, malformed(fmt.Sprintf("%q is runtime state, which acc keeps outside of projects", key), err)
		}
	}
	return Config{}, malformed(err.Error(), err)
}

// Encode gives the file.
func (c Config) Encode() ([]byte, error) {
	data, err := configObject.AppendIndent(nil, &c)
	if err != nil {
		return nil, malformed(err.Error(), err)
	}
	return data, nil
}

func malformed(message string, cause error) error {
	return protocol.DataError(protocol.ReasonMalformed, message).Because(cause)
}

// LoadConfig reads and checks the configuration at path. The file may not be a symbolic link. Errors
// have Code Data and name the file; an absent one is also os.ErrNotExist.
func LoadConfig(path string) (Config, error) {
	file, err := smallfile.Read(path, smallfile.Options{Max: MaxConfigBytes})
	if err != nil {
		return Config{}, configError(path, err)
	}
	c, err := ParseConfig(file.Data)
	if err != nil {
		return Config{}, configError(path, fmt.Errorf("%s: %w", path, err))
	}
	return c, nil
}

func configError(path string, err error) error {
	reason, hint := protocol.ReasonMalformed, "acc config validate"
	switch {
	case errors.Is(err, smallfile.ErrSymlink), errors.Is(err, smallfile.ErrNotRegular):
		reason, hint = protocol.ReasonPathUnsafe, "replace "+path+" by a regular file"
	case errors.Is(err, fs.ErrNotExist):
		reason, hint = protocol.ReasonNotFound, "acc config init"
	}
	return protocol.DataError(reason, "cannot use the workspace configuration "+err.Error()).Because(err).WithHint(hint)
}

// findConfig looks for a configuration in the canonical directory dir and in each parent.
func findConfig(dir string) (path string, c Config, found bool, err error) {
	for level := dir; ; level = filepath.Dir(level) {
		path = filepath.Join(level, ConfigName)
		c, err = LoadConfig(path)
		switch {
		case err == nil:
			return path, c, true, nil
		case !absent(path, err):
			return "", Config{}, false, err
		case level == filepath.Dir(level):
			return "", Config{}, false, nil
		}
	}
}

// absent says whether nothing is known to be at path. A sandbox may forbid even to ask above the
// project, and then nothing is known either.
func absent(path string, err error) bool {
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	_, err = os.Lstat(path)
	return err != nil
}

// rootProblem says why a root may not stand in a configuration, or "". The same file is read on every
// system, so the forms of all of them are judged everywhere.
func rootProblem(root string) string {
	if strings.ContainsFunc(root, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "must not contain control characters"
	}
	if root == "" || root[0] == '/' || root[0] == '\\' || len(root) > 1 && root[1] == ':' {
		return "must be relative to the file"
	}
	depth := 0
	for name := range strings.FieldsFuncSeq(root, func(r rune) bool { return r == '/' || r == '\\' }) {
		switch name {
		case ".":
		case "..":
			if depth--; depth < 0 {
				return "must not leave the directory of the file"
			}
		default:
			depth++
		}
	}
	return ""
}
