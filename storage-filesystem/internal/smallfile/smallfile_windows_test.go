package smallfile

import "io/fs"

var errNotDirectory error = fs.ErrNotExist
