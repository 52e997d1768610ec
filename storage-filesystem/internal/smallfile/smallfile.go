// Package smallfile reads one small regular file with as few system calls as that takes: open, fstat,
// read, close. The hook path reads dozens of them, and the standard library spends one or two more
// on each.
package smallfile

import (
	"errors"
	"fmt"
)

// Errors of Read, besides those of the system (os.ErrNotExist, os.ErrPermission).
var (
	ErrSymlink    = errors.New("is a symbolic link")
	ErrNotRegular = errors.New("is not a regular file")
	ErrTooLarge   = errors.New("is too large")
)

// MaxPointer is the size of the largest file that ReadPointer reads, in bytes: room for the longest path
// and a word before it.
const MaxPointer = 8*1024 - 1

// UnknownOwner is the Owner where the system has no numeric owners.
const UnknownOwner = -1

// Options say what Read accepts.
type Options struct {
	Max    int64 // bytes; a larger file is ErrTooLarge
	Follow bool  // whether the last element of the path may be a symbolic link
}

// File is what was read.
type File struct {
	Data  []byte
	Owner int // numeric user id, or UnknownOwner
}

// fault names the file in an error.
func fault(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }
