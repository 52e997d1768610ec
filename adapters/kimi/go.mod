module github.com/acc-control-plane/acc/adapters/kimi

go 1.26.0
