// Package clients names the installers of this build's adapters. It is apart from the registry of hooks
// because acc-hook must not link what edits configuration files; whoever assembles a build with other
// adapters replaces both lists.
package clients

import (
	"github.com/acc-control-plane/acc/adapter-sdk/adapter"
	"github.com/acc-control-plane/acc/adapter-sdk/installkit"
	antigravity "github.com/acc-control-plane/acc/adapters/antigravity/install"
	claudecode "github.com/acc-control-plane/acc/adapters/claudecode/install"
	codex "github.com/acc-control-plane/acc/adapters/codex/install"
	geminicli "github.com/acc-control-plane/acc/adapters/geminicli/install"
	grok "github.com/acc-control-plane/acc/adapters/grok/install"
	kimi "github.com/acc-control-plane/acc/adapters/kimi/install"
)

var installers = []func() (*installkit.Installer, error){
	claudecode.New, codex.New, geminicli.New, kimi.New, grok.New, antigravity.New,
}

// Installers gives the installer of every adapter of this build, in the order of the hooks.
func Installers() ([]adapter.Installer, error) {
	var all []adapter.Installer
	for _, make := range installers {
		i, err := make()
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}
