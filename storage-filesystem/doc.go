// Package storagefilesystem is empty: the module's packages are fsstore (the store), workspace (where a
// room is), datahome (where its store lies), nativeworkspace (the saved room of a hooked session),
// privatefile (small private files), process (the process table) and room (all of it put together).
package storagefilesystem
