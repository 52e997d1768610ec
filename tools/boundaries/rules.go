package boundaries

// ModuleRule says what the packages of one module may import besides the standard library and one
// another. Anything that is not named is refused.
type ModuleRule struct {
	Dir   string    // of the module
	May   []Pattern // for every package
	Tests []Pattern // for tests, besides May and TestLibraries
	// More widens May for some packages of the module.
	More    []Exception
	Instead string // advice to who is refused
}

// Exception lets some packages import more.
type Exception struct {
	For []Pattern
	May []Pattern
}

// TestLibraries are what tests, and the packages that only tests import, may use in every module.
var TestLibraries = []Pattern{
	"github.com/google/go-cmp/...",
	"github.com/rogpeppe/go-internal/...",
	"go.uber.org/goleak/...",
	"pgregory.net/rapid/...",
}

// testHelpers are packages that only tests import. They may use the test libraries and testing itself.
var testHelpers = []Pattern{
	"./protocol/internal/schemacheck/...", "./core/coretest/...", "./storage-filesystem/fsstore/storetest/...",
	"./storage-filesystem/fsstore/vfs/vfstest/...", "./adapter-sdk/adaptertest/...",
}

// network is what can reach beyond this process by a socket. net/url and net/netip only parse.
var network = []Pattern{"net", "net/http/...", "net/rpc/...", "net/smtp", "net/mail", "net/textproto", "crypto/tls/..."}

const (
	// jsonTokens has the type of a raw JSON value and the tokens below strictjson; the package above it
	// decodes by reflection and takes null for anything.
	jsonTokens = Pattern("github.com/go-json-experiment/json/jsontext")
	ulid       = Pattern("github.com/oklog/ulid/v2/...")
	system     = Pattern("golang.org/x/sys/...")
)

// configFormats read and edit the configuration files of clients: only an installation needs them.
var configFormats = []Pattern{"github.com/pelletier/go-toml/v2/...", "github.com/tailscale/hujson/...", system}

// Modules is the table: one row for every module of the work tree.
var Modules = []ModuleRule{
	{
		Dir: "protocol", May: []Pattern{ulid, jsonTokens},
		Instead: "protocol is what everybody else builds on; put the code into the module that needs it",
	},
	{
		Dir: "core", May: []Pattern{"./protocol/...", jsonTokens},
		Instead: "core knows only protocol; declare a port in core/ports.go and let the caller pass an implementation in",
	},
	{
		Dir: "storage-filesystem", May: []Pattern{"./protocol/...", "./core/...", system, jsonTokens},
		More:    []Exception{{For: []Pattern{"./storage-filesystem/change"}, May: []Pattern{"github.com/fsnotify/fsnotify/..."}}},
		Instead: "the store keeps what core decides; it knows no client and no command",
	},
	{
		Dir: "adapter-sdk", May: []Pattern{"./protocol/...", jsonTokens},
		More:    []Exception{{For: []Pattern{"./adapter-sdk/installkit/..."}, May: configFormats}},
		Instead: "a vendor inherits whatever the SDK imports; pass values of protocol in, and put test helpers into adaptertest",
	},
	{
		Dir: "adapter-sdk/adaptertest", May: []Pattern{"./adapter-sdk/...", "./protocol/...", jsonTokens},
		Instead: "the conformance kit sees an adapter only through adapter-sdk, as a vendor does",
	},
	adapter("antigravity"),
	adapter("claudecode"),
	adapter("codex"),
	adapter("geminicli"),
	adapter("grok"),
	adapter("kimi"),
	{
		Dir: "delivery-router", May: []Pattern{"./protocol/...", "./core/...", "./adapter-sdk/..."},
		Tests:   []Pattern{"./storage-filesystem/..."},
		Instead: "the router meets adapters through adapter-sdk and the store through core",
	},
	{
		Dir: "hook-runner", May: []Pattern{"./protocol/...", "./core/...", "./storage-filesystem/...", "./adapter-sdk/...", "./delivery-router/..."},
		Tests:   []Pattern{"./adapters/..."},
		Instead: "the runner is given its adapters by the binary that links it",
	},
	{
		Dir: "mcp-server", May: []Pattern{"./protocol/...", "./core/...", "./storage-filesystem/...", "./delivery-router/...", "./adapter-sdk/...", jsonTokens, "github.com/modelcontextprotocol/go-sdk/..."},
		Instead: "the MCP server offers what core can do; new abilities go into core first",
	},
	{
		Dir: "cli", May: []Pattern{
			"./protocol/...", "./core/...", "./storage-filesystem/...", "./adapter-sdk/...", "./adapters/...", "./delivery-router/...", "./hook-runner/...", "./mcp-server/...",
			jsonTokens, system, "golang.org/x/term/...", "golang.org/x/mod/...", "github.com/urfave/cli/v2/...", "aead.dev/minisign/...",
		},
		Instead: "if the command line really needs another library, add it to this row and to docs/dependencies.md with the reason",
	},
	{
		Dir: "tools", May: []Pattern{
			"./protocol/...", "./core/...", "./storage-filesystem/...", "./adapter-sdk/...", "./adapters/...", "./delivery-router/...", "./hook-runner/...", "./mcp-server/...", "./cli/...",
			"golang.org/x/mod/...", "golang.org/x/tools/...", "golang.org/x/exp/apidiff/...", "github.com/rogpeppe/go-internal/...", "github.com/google/go-cmp/...", jsonTokens,
			"aead.dev/minisign/...", "github.com/CycloneDX/cyclonedx-go/...",
		},
		Instead: "add the library to this row and to docs/dependencies.md with the reason",
	},
	{
		Dir: "examples/adapter-echo", May: []Pattern{"./protocol/...", "./adapter-sdk/..."},
		Tests:   []Pattern{"./adapter-sdk/adaptertest/..."},
		Instead: "the example shows what a vendor can do with published modules alone",
	},
}

// adapter is the row of one vendor.
func adapter(name string) ModuleRule {
	own := Pattern("./adapters/" + name)
	return ModuleRule{
		Dir:   "adapters/" + name,
		May:   []Pattern{"./protocol/...", "./adapter-sdk/...", system, jsonTokens},
		Tests: []Pattern{"./adapter-sdk/adaptertest/..."},
		More: []Exception{{
			For: []Pattern{own + "/install/...", own + "/live/..."},
			May: append([]Pattern{"github.com/fsnotify/fsnotify/..."}, configFormats...),
		}},
		Instead: "an adapter sees the room only through adapter-sdk; what several adapters need belongs there",
	}
}

// Reach forbids packages to others, however many imports lie between them.
type Reach struct {
	Name    string
	From    []Pattern
	Except  []Pattern // of From
	Never   []Pattern
	Instead string
}

// hookPath is everything that runs inside a client's hook, where each millisecond is the user's.
var hookPath = []Pattern{
	"./cli/cmd/acc-hook/...", "./hook-runner/...", "./adapters/*/hook/...", "./delivery-router/...", "./storage-filesystem/...",
	"./adapter-sdk/hookkit/...", "./adapter-sdk/projection/...", "./cli/cmd/acc-indicator/...",
}

// Reaches are the rules about what must stay out of reach.
var Reaches = []Reach{
	{
		Name: "core is pure", From: []Pattern{"./core/..."},
		Never: append([]Pattern{
			"os/exec", "plugin", "./adapters/...", "./adapter-sdk/...", "./storage-filesystem/...", "./delivery-router/...",
			"./hook-runner/...", "./mcp-server/...", "./cli/...", "./tools/...", AnythingOfGit,
		}, network...),
		Instead: "declare a port in core/ports.go and implement it in storage-filesystem or cli",
	},
	{
		Name: "protocol is pure", From: []Pattern{"./protocol/..."},
		Never:   append([]Pattern{"os/exec", AnythingOfGit}, network...),
		Instead: "protocol describes facts; who finds them out is another module",
	},
	{
		Name: "the SDK is light", From: []Pattern{"./adapter-sdk/adapter/...", "./adapter-sdk/certification/...", "./adapter-sdk/projection/...", "./adapter-sdk/hookkit/...", "./adapter-sdk/localsocket/..."},
		Never:   append([]Pattern{"os/exec", "./core/...", "./storage-filesystem/..."}, network...),
		Instead: "a vendor links this into a hook; keep processes and sockets in an adapter's install and live packages",
	},
	{
		Name: "an adapter stands alone", From: []Pattern{"./adapters/*/..."},
		Never:   []Pattern{"./core/...", "./storage-filesystem/...", "./delivery-router/...", "./hook-runner/...", "./mcp-server/...", "./cli/...", "./tools/..."},
		Instead: "an adapter speaks adapter-sdk and protocol; the binary that links it brings the rest",
	},
	{
		Name: "an adapter's hook is bare", From: []Pattern{"./adapters/*/hook/..."},
		Never:   append([]Pattern{"os/exec", "./adapter-sdk/installkit/...", "github.com/pelletier/...", "github.com/tailscale/...", "./adapters/*/live/...", "./adapters/*/install/..."}, network...),
		Instead: "the hook package reads a payload and writes a response; files go into install, sockets into live",
	},
	{
		Name: "the hook path starts nothing and links little", From: hookPath, Except: append([]Pattern{"./storage-filesystem/change"}, testHelpers...),
		Never: []Pattern{
			"os/exec", "net/http/...", "crypto/tls/...", "encoding/json/...", "github.com/go-json-experiment/json", "text/template/...", "html/template/...", "encoding/xml/...", "encoding/gob/...",
			"github.com/urfave/...", "github.com/santhosh-tekuri/...", "github.com/modelcontextprotocol/...", "testing/...", "flag",
			"github.com/pelletier/...", "github.com/tailscale/...", "./adapter-sdk/installkit/...", "github.com/fsnotify/...",
		},
		Instead: "a hook is started at every turn: read Git and the process table from their files, decode with protocol/strictjson, and leave the rest to acc",
	},
	{
		Name: "shipped binaries carry no test code and no slow starters", From: []Pattern{"./cli/cmd/*/..."},
		Never: []Pattern{
			"testing/...", "./tools/...", "github.com/santhosh-tekuri/...", "github.com/mark3labs/...", "github.com/shirou/gopsutil/...",
		},
		Instead: "move what tests share into a package that only tests import; docs/dependencies.md says why each library is or is not used",
	},
}

// Only reserves an import for some packages. Tests are free.
type Only struct {
	Name      string
	Import    []Pattern
	Importers []Pattern
	Instead   string
}

// echoClient is the client that the example's adapter is for. It is no part of acc, so it does as clients do.
const echoClient = Pattern("./examples/adapter-echo/echo-client/...")

// Onlys are the rules about who alone may import something directly.
var Onlys = []Only{
	{
		Name: "processes are started in few places", Import: []Pattern{"os/exec"},
		Importers: []Pattern{"./adapters/*/install/...", "./adapters/*/live/...", "./cli/...", "./tools/...", echoClient},
		Instead:   "read the facts from files, or move the code to an adapter's install or live package",
	},
	{
		Name: "sockets are opened by transports", Import: []Pattern{"net"},
		Importers: []Pattern{"./adapters/*/live/...", "./cli/...", "./tools/...", echoClient},
		Instead:   "a transport in an adapter's live package opens the local sockets that it verified",
	},
	{
		Name: "only the updater uses the network", Import: []Pattern{"net/http/...", "net/rpc/...", "net/smtp", "crypto/tls/..."},
		Importers: []Pattern{"./cli/internal/update/...", "./tools/..."},
		Instead:   "nothing but acc update leaves the machine; a vendor's loopback call goes through the vendor's own command",
	},
	{
		Name: "only the registry names adapters", Import: []Pattern{"./adapters/..."},
		Importers: []Pattern{"./adapters/...", "./cli/registry/...", "./tools/accbuild/..."},
		Instead:   "ask cli/registry for the adapters, or take them as an argument",
	},
	{
		Name: "strict JSON everywhere", Import: []Pattern{"encoding/json/...", "github.com/go-json-experiment/json", "github.com/go-json-experiment/json/v1/..."},
		Importers: []Pattern{"./tools/...", echoClient},
		Instead:   "use protocol/strictjson: other decoders take duplicate keys, trailing data and null",
	},
	{
		Name: "tools are for contributors", Import: []Pattern{"./tools/..."},
		Importers: []Pattern{"./tools/..."},
		Instead:   "move what the product needs out of tools",
	},
	{
		Name:      "test helpers stay in tests",
		Import:    testHelpers,
		Importers: append([]Pattern{"./tools/..."}, testHelpers...),
		Instead:   "only _test.go files import a conformance kit or a checker",
	},
}
