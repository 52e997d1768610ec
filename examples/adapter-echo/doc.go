// Package echo will be a complete adapter for a small scripted client, written as a vendor outside this
// repository would write it: against published modules only, with its own go.mod and outside go.work.
//
// It is empty until adapter-sdk is stable enough to be followed by strangers.
package echo
