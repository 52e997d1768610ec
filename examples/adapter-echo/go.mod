module github.com/acc-control-plane/acc/examples/adapter-echo

go 1.26.0
