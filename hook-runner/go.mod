module github.com/acc-control-plane/acc/hook-runner

go 1.26.0
