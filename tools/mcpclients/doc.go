// Package mcpclients lets the real clients of vendors list and call the tools of acc-mcp, without an
// account and without a network: the registration is written by the code that acc install uses, the client
// has a home of its own, and a scripted model on loopback makes the calls. Its tests also let the
// Inspector of the protocol drive every tool and resource.
//
// They run only where a client is named, and say so when they skip. With any of
//
//	npm install --prefix /tmp/clients @anthropic-ai/claude-code-linux-x64 @openai/codex @google/gemini-cli @modelcontextprotocol/inspector@0.15.0
//	npm install --prefix /tmp/kimi @moonshot-ai/kimi-code        # needs Node 24
//	HOME=/tmp/grok npm install --prefix /tmp/grok @xai-official/grok   # its installation writes into HOME
//
// run
//
//	cd tools && ACC_REAL_CLAUDE=/tmp/clients/node_modules/@anthropic-ai/claude-code-linux-x64/claude \
//	    ACC_REAL_CODEX=/tmp/clients/node_modules/.bin/codex ACC_REAL_GEMINI=/tmp/clients/node_modules/.bin/gemini \
//	    ACC_REAL_KIMI=/tmp/kimi/node_modules/.bin/kimi ACC_REAL_INSPECTOR=/tmp/clients/node_modules/.bin/mcp-inspector \
//	    ACC_REAL_GROK=/tmp/grok/node_modules/.bin/grok \
//	    go test ./mcpclients -v
//
// model.go is the model in the four forms that these clients speak.
package mcpclients
