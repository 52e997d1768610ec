// Command certify runs a real AI client against a scripted model and writes down what it saw.
//
//	npm install --prefix /tmp/client @anthropic-ai/claude-code-linux-x64
//	go run ./tools/certify -client claude-code \
//	    -path /tmp/client/node_modules/@anthropic-ai/claude-code-linux-x64/claude -write
//
// Everything is real but the model: acc is installed by its own installer into a home of its own, the
// client starts acc-hook by itself, and the store is the one that any acc would use. The model is a
// server on loopback that calls the client's tools and keeps what it was sent. A capability passes only
// if its effect was seen outside of acc: in what the model was sent, in the files of the project, or in
// the room after the client had gone. A check that could not run leaves no row.
//
// With -write the rows go into the adapter's certification.json, and what was seen into fixtures beside
// it. Start at main.go; stage.go is the machine that the client runs on, checks.go what is looked for,
// clients.go what differs between clients, evidence.go the files.
package main
