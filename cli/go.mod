module github.com/acc-control-plane/acc/cli

go 1.26.0

require (
	aead.dev/minisign v0.3.0
	github.com/acc-control-plane/acc/adapter-sdk v0.1.0
	github.com/acc-control-plane/acc/adapters/antigravity v0.1.0
	github.com/acc-control-plane/acc/adapters/claudecode v0.1.0
	github.com/acc-control-plane/acc/adapters/codex v0.1.0
	github.com/acc-control-plane/acc/adapters/geminicli v0.1.0
	github.com/acc-control-plane/acc/adapters/grok v0.1.0
	github.com/acc-control-plane/acc/adapters/kimi v0.1.0
	github.com/acc-control-plane/acc/core v0.1.0
	github.com/acc-control-plane/acc/delivery-router v0.1.0
	github.com/acc-control-plane/acc/hook-runner v0.1.0
	github.com/acc-control-plane/acc/mcp-server v0.1.0
	github.com/acc-control-plane/acc/protocol v0.1.0
	github.com/acc-control-plane/acc/storage-filesystem v0.1.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/urfave/cli/v2 v2.27.7
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
)

require (
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/modelcontextprotocol/go-sdk v1.8.0 // indirect
	github.com/oklog/ulid/v2 v2.1.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.42.0 // indirect
)
