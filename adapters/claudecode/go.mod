module github.com/acc-control-plane/acc/adapters/claudecode

go 1.26.0

require (
	github.com/acc-control-plane/acc/adapter-sdk v0.1.0
	github.com/acc-control-plane/acc/protocol v0.1.0
	github.com/go-json-experiment/json v1.27.2
)
