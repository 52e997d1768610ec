module github.com/acc-control-plane/acc/adapters/claudecode

go 1.26.0

require (
	github.com/acc-control-plane/acc/adapter-sdk v0.1.0
	github.com/acc-control-plane/acc/adapter-sdk/adaptertest v0.1.0
	github.com/acc-control-plane/acc/protocol v0.1.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
)

require (
	github.com/oklog/ulid/v2 v2.1.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
)
