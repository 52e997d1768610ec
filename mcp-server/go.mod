module github.com/acc-control-plane/acc/mcp-server

go 1.26.0

require (
	github.com/acc-control-plane/acc/adapter-sdk v0.1.0
	github.com/acc-control-plane/acc/adapter-sdk/adaptertest v0.1.0
	github.com/acc-control-plane/acc/core v0.1.0
	github.com/acc-control-plane/acc/delivery-router v0.1.0
	github.com/acc-control-plane/acc/protocol v0.1.0
	github.com/acc-control-plane/acc/storage-filesystem v0.1.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
	github.com/modelcontextprotocol/go-sdk v1.8.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/oklog/ulid/v2 v2.1.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)
