module github.com/acc-control-plane/acc/adapters/antigravity

go 1.26.0
