// Command certify runs a real AI client against a scripted model and writes down what it saw.
//
//	go run ./tools/certify -client claude-code          install the client into the cache, drive it, report
//	go run ./tools/certify -client claude-code -write   and record the evidence in the adapter
//	go run ./tools/certify -table                       what is on record of all clients; runs nothing
//
// Everything is real but the model: acc is installed by its own installer into a home of its own, the
// client starts acc-hook by itself, and the store is the one that any acc would use. The model is a
// server on loopback that calls the client's tools and keeps what it was sent. A capability passes only
// if its effect was seen outside of acc: in what the model was sent, in the files of the project, or in
// the room. A check that could not run leaves no row in the adapter's certification.json, and its reason in
// checks.json beside the fixtures.
//
// A client is driven in three ways, each on a stage of its own: without a terminal (print.go), in one as a
// person does (terminal.go), and with hooks that answer in one shape after the other instead of acc's
// (matrix.go, probe.go). Start at main.go; stage.go is the machine that the client runs on, script.go the
// model, client.go what differs between clients, with a file for each, evidence.go and table.go the files.
package main
