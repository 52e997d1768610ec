// Package realclient drives the real clients of vendors without an account and without a network: a
// scripted model server on loopback, a terminal (tmux) for the client, an isolated home, and acc's own
// executables in its hooks. Its tests prove what live delivery promises.
//
// They run only where a client is named, and say so when they skip:
//
//	npm install --prefix /tmp/client @anthropic-ai/claude-code-linux-x64
//	cd tools && ACC_REAL_CLAUDE=/tmp/client/node_modules/@anthropic-ai/claude-code-linux-x64/claude \
//	    go test ./realclient -run Claude -v
//
// model.go is the server, terminal.go the terminal, claude.go the client.
package realclient
