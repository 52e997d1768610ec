// Package geminicli is the adapter of Gemini CLI. Its hook package reads what the client tells its hooks
// and answers in the client's shapes; it opens no connection and starts no process.
package geminicli
