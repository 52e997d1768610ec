// Package storagefilesystem is empty; the module's packages are
//
//   - room: enters a room, everything below put together; start here
//   - workspace: which room a directory belongs to, and what files of it are called
//   - nativeworkspace: the saved room of a hooked session
//   - datahome: where acc keeps its data
//   - fsstore: the store of a room, one journal with a lock for writers and none for readers
//   - privatefile: small files of this user alone, for what can be made again
//   - process: the process table
//
// None of them starts a process or opens a network connection: hooks link them all.
package storagefilesystem
