module github.com/acc-control-plane/acc/adapters/grok

go 1.26.0
