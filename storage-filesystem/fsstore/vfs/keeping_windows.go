package vfs

// Keeping is OS: on Windows an open directory could not be moved or removed.
type Keeping struct{ OS }
