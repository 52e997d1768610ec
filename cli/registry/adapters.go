package registry

import (
	antigravity "github.com/acc-control-plane/acc/adapters/antigravity/hook"
	antigravitylive "github.com/acc-control-plane/acc/adapters/antigravity/live"
	claudecode "github.com/acc-control-plane/acc/adapters/claudecode/hook"
	claudecodelive "github.com/acc-control-plane/acc/adapters/claudecode/live"
	codex "github.com/acc-control-plane/acc/adapters/codex/hook"
	codexlive "github.com/acc-control-plane/acc/adapters/codex/live"
	geminicli "github.com/acc-control-plane/acc/adapters/geminicli/hook"
	grok "github.com/acc-control-plane/acc/adapters/grok/hook"
	kimi "github.com/acc-control-plane/acc/adapters/kimi/hook"
)

// assembled are the adapters of this build. tools/accbuild writes this file for a build with others.
var assembled = []entry{
	{claudecode.New, claudecodelive.New},
	{codex.New, codexlive.New},
	{geminicli.New, nil},
	{kimi.New, nil},
	{grok.New, nil},
	{antigravity.New, antigravitylive.New},
}
