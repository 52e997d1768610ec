package runtime

import "os"

// halt ends this process at once.
func halt(string) { os.Exit(137) }

func signalled() []nativeHold { return nil }
