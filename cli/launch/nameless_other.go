//go:build unix && !linux

package launch

// nameless makes a file that has no name.
func nameless() (int, error) { return unlinked() }
