module github.com/acc-control-plane/acc/mcp-server

go 1.26.0
