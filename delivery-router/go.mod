module github.com/acc-control-plane/acc/delivery-router

go 1.26.0
