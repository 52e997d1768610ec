module github.com/acc-control-plane/acc/storage-filesystem

go 1.26.0

require (
	github.com/acc-control-plane/acc/core v0.1.0
	github.com/acc-control-plane/acc/protocol v0.1.0
	github.com/fsnotify/fsnotify v1.10.1
	github.com/google/go-cmp v0.7.0
	golang.org/x/sys v0.50.0
)

require pgregory.net/rapid v1.3.0

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/oklog/ulid/v2 v2.1.0 // indirect
)
