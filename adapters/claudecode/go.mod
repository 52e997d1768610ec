module github.com/acc-control-plane/acc/adapters/claudecode

go 1.26.0
