// Package echo joins nothing: it says what is where. An adapter is three packages that a builder names,
// hook, live and install, each with a New. Package main in echo-client is the client that this adapter is
// for, a small program that plays a script. The test of this package drives that client and holds what it
// sees against hook/certification.json. Start reading at hook/echo.go.
package echo
