module github.com/acc-control-plane/acc/tools

go 1.26.0

require (
	aead.dev/minisign v0.3.0
	github.com/CycloneDX/cyclonedx-go v0.12.0
	github.com/acc-control-plane/acc/adapter-sdk v0.1.0
	github.com/acc-control-plane/acc/cli v0.1.0
	github.com/acc-control-plane/acc/core v0.1.0
	github.com/acc-control-plane/acc/hook-runner v0.1.0
	github.com/acc-control-plane/acc/mcp-server v0.1.0
	github.com/acc-control-plane/acc/protocol v0.1.0
	github.com/acc-control-plane/acc/storage-filesystem v0.1.0
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4
	golang.org/x/mod v0.43.0
	golang.org/x/tools v0.52.1-0.20261106145633-d407941a339a
)

require (
	github.com/acc-control-plane/acc/adapters/antigravity v0.1.0 // indirect
	github.com/acc-control-plane/acc/adapters/claudecode v0.1.0 // indirect
	github.com/acc-control-plane/acc/adapters/codex v0.1.0 // indirect
	github.com/acc-control-plane/acc/adapters/geminicli v0.1.0 // indirect
	github.com/acc-control-plane/acc/adapters/grok v0.1.0 // indirect
	github.com/acc-control-plane/acc/adapters/kimi v0.1.0 // indirect
	github.com/acc-control-plane/acc/delivery-router v0.1.0 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/oklog/ulid/v2 v2.1.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
