// Package hook is Kimi Code as acc's hooks see it: payloads in, answers out.
//
// It follows what Kimi Code 2.1.0 on Linux was observed to send and obey; the payloads under testdata
// were captured from it. Text reaches the model before a prompt only, as it is, in a tag that the client
// does not protect. Start reading at kimi.go.
package hook
