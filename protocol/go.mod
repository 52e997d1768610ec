module github.com/acc-control-plane/acc/protocol

go 1.26.0

require github.com/go-json-experiment/json v1.27.2
