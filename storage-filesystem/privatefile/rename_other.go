//go:build unix && !linux && !darwin

package privatefile

import "errors"

// renameExclusive has no portable form.
func renameExclusive(from, to string) error { return errors.ErrUnsupported }
