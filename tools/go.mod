module github.com/acc-control-plane/acc/tools

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/mod v0.43.0
)

require golang.org/x/tools v0.52.0 // indirect
