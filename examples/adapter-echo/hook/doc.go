// Package hook is the Echo client as acc's hooks see it: payloads in, answers out.
//
// acc-hook links this package, so it starts nothing, opens nothing and decodes without reflection. What
// it knows follows echo-client 1.0.0: the payloads under testdata were recorded from it. Start reading at
// echo.go.
package hook
