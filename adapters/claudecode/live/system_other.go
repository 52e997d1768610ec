//go:build !linux

package live

import "errors"

// processStart is unknown here.
func processStart(int) (string, error) { return "", errors.ErrUnsupported }

// pidDomain: there are no namespaces here.
func pidDomain(string) bool { return true }

// launchArguments are unknown here.
func launchArguments(int) []string { return nil }
