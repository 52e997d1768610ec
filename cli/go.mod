module github.com/acc-control-plane/acc/cli

go 1.26.0

require (
	github.com/acc-control-plane/acc/core v0.1.0
	github.com/acc-control-plane/acc/protocol v0.1.0
	github.com/acc-control-plane/acc/storage-filesystem v0.1.0
	github.com/go-json-experiment/json v1.27.2
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/urfave/cli/v2 v2.27.7
	golang.org/x/term v0.48.0
)
