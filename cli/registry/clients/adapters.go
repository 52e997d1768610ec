package clients

import (
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	antigravity "github.com/acc-control-plane/acc/adapters/antigravity/install"
	claudecode "github.com/acc-control-plane/acc/adapters/claudecode/install"
	codex "github.com/acc-control-plane/acc/adapters/codex/install"
	geminicli "github.com/acc-control-plane/acc/adapters/geminicli/install"
	grok "github.com/acc-control-plane/acc/adapters/grok/install"
	kimi "github.com/acc-control-plane/acc/adapters/kimi/install"
)

// assembled are the installers of this build. tools/accbuild writes this file for a build with others.
var assembled = []func() (*installkit.Installer, error){
	claudecode.New,
	codex.New,
	geminicli.New,
	kimi.New,
	grok.New,
	antigravity.New,
}
