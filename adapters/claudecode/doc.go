// Package claudecode is the adapter of Claude Code. Its hook package reads what the client tells its
// hooks and answers in the client's shapes; it opens no connection and starts no process.
package claudecode
