module github.com/acc-control-plane/acc/adapter-sdk

go 1.26.0
