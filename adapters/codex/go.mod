module github.com/acc-control-plane/acc/adapters/codex

go 1.26.0
