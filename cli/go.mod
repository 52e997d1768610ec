module github.com/acc-control-plane/acc/cli

go 1.26.0
