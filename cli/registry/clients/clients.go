// Package clients names the installers of this build's adapters. It is apart from the registry of hooks
// because acc-hook must not link what edits configuration files.
package clients

import "github.com/acc-control-plane/acc/adapter-sdk/adapter"

// Installers gives the installer of every adapter of this build, in the order of the hooks.
func Installers() ([]adapter.Installer, error) {
	var all []adapter.Installer
	for _, make := range assembled {
		i, err := make()
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}
