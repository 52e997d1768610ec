module github.com/acc-control-plane/acc/adapters/geminicli

go 1.26.0
