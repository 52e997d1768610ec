// Package realclient drives the real clients of vendors without an account and without a network: a
// scripted model server on loopback, a terminal (tmux) for the client, an isolated home, and acc's own
// executables in its hooks. Its tests prove what live delivery promises.
//
// Stand-ins for a client's side of the wire misbehave as no real client can be told to; those tests run
// everywhere. The others run only where a client is named, and say so when they skip:
//
//	npm install --prefix /tmp/client @anthropic-ai/claude-code-linux-x64 @openai/codex
//	export ACC_REAL_CLAUDE=/tmp/client/node_modules/@anthropic-ai/claude-code-linux-x64/claude
//	export ACC_REAL_CODEX=/tmp/client/node_modules/.bin/codex
//	go test ./tools/realclient -v
//
// It takes five minutes, tmux, and a gigabyte in /tmp and /var/tmp.
//
// standin_test.go, senders_test.go and appserver_test.go are the stand-ins, model.go and responses.go the server of the model, terminal.go the terminal, claude.go and codex.go the clients.
package realclient
