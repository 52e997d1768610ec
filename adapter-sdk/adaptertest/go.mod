module github.com/acc-control-plane/acc/adapter-sdk/adaptertest

go 1.26.0
