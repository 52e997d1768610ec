package mcpinstall

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	"github.com/acc-control-plane/acc/protocol"
)

// serverName is what the client calls the server; its tools are then called mcp__acc__acc_status or alike.
const serverName = "acc"

// Registered is the Event under which Doctor says whether the server is registered.
const Registered = "MCP server " + serverName

// client is one row of what is known of clients. It implements installkit.Client.
type client struct {
	id, displayName string
	search          installkit.Search
	file            string // below the root
	format          installkit.Format
	path            []string // of the server's entry
	typed           bool     // the entry says that the transport is stdio
	perCall         bool     // each call says which conversation it is of
	step            string
}

var clients = []client{
	{
		// Claude Code 2.1: claude mcp add -s user. The file lies beside the configuration directory unless
		// CLAUDE_CONFIG_DIR moves that, and then in it.
		id: "claude_code", displayName: "Claude Code",
		search: installkit.Search{Command: "claude", RootVariable: "CLAUDE_CONFIG_DIR", Evidence: []string{".claude.json"}, VersionArgs: []string{"--version"}},
		file:   ".claude.json", format: installkit.JSON, path: []string{"mcpServers", serverName}, typed: true,
		step: "start Claude Code again; claude mcp list then names acc",
	},
	{
		// Codex 0.171: codex mcp add. It starts servers with a scrubbed environment.
		id: "codex", displayName: "Codex",
		search: installkit.Search{Command: "codex", RootVariable: "CODEX_HOME", RootDefault: ".codex", VersionArgs: []string{"--version"}},
		file:   "config.toml", format: installkit.TOML, path: []string{"mcp_servers", serverName}, perCall: true,
		step: "start Codex again; codex mcp list then names acc",
	},
	{
		// Gemini CLI 0.61: gemini mcp add -s user.
		id: "gemini_cli", displayName: "Gemini CLI",
		search: installkit.Search{Command: "gemini", RootDefault: ".gemini", VersionArgs: []string{"--version"}},
		file:   "settings.json", format: installkit.JSONC, path: []string{"mcpServers", serverName},
		step: "start Gemini CLI again; in a trusted folder, gemini mcp list then names acc",
	},
	{
		// Kimi Code 2.1: there is no command; it reads this file.
		id: "kimi", displayName: "Kimi Code",
		search: installkit.Search{Command: "kimi", RootVariable: "KIMI_CODE_HOME", RootDefault: ".kimi-code", VersionArgs: []string{"--version"}},
		file:   "mcp.json", format: installkit.JSON, path: []string{"mcpServers", serverName},
		step: "start Kimi Code again",
	},
	{
		// Grok 1.0: grok mcp add.
		id: "grok", displayName: "Grok",
		search: installkit.Search{Command: "grok", RootVariable: "GROK_HOME", RootDefault: ".grok", VersionArgs: []string{"--version"}},
		file:   "config.toml", format: installkit.TOML, path: []string{"mcp_servers", serverName},
		step: "start Grok again",
	},
}

// Clients names the clients that New knows, in a fixed order.
func Clients() []string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.id
	}
	return names
}

// New gives the installer of the server into a client. An unknown client is an error with Code Usage that
// names the known ones; Snippet serves it.
func New(clientID string) (*installkit.Installer, error) {
	i := slices.IndexFunc(clients, func(c client) bool { return c.id == clientID })
	if i < 0 {
		return nil, protocol.UsageError("", fmt.Sprintf("the configuration of %q is not known; known are %s", clientID, strings.Join(Clients(), ", "))).
			WithHint("acc install --adapter mcp --print")
	}
	return installkit.New("mcp-"+clientID, clients[i].displayName+" (MCP)", clients[i])
}

// Detect implements installkit.Client.
func (c client) Detect(ctx context.Context, m adapter.Machine) (adapter.Detection, error) {
	return installkit.Find(ctx, m, c.search)
}

// Wants implements installkit.Client.
func (c client) Wants(m adapter.Machine, d adapter.Detection) (installkit.Wants, error) {
	e := entryOf(m, c)
	value := e.json()
	if c.format == installkit.TOML {
		value = e.toml()
	}
	return installkit.Wants{
		Mark: strings.TrimSuffix(installkit.MCPPath(m), ".exe"),
		Edits: []installkit.UserFile{{Path: filepath.Join(d.Root, filepath.FromSlash(c.file)), Format: c.format, Edits: []installkit.Edit{{
			Kind: installkit.Member, Path: c.path, Value: value, Ours: true, Events: []string{Registered}, Label: "the MCP server " + serverName,
		}}}},
		Steps: []string{c.step},
		Notes: []string{"a client that is served by MCP alone looks when it chooses to: nothing wakes it, and its claims are advisory"},
	}, nil
}
