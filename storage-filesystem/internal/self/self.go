// Package self knows what does not change about this process.
package self

import (
	"os"
	"sync"
)

// UserID is the effective user of this process, -1 where there are no numeric users. It is asked of the
// system once: every file and directory of acc is compared with it.
var UserID = sync.OnceValue(os.Geteuid)
