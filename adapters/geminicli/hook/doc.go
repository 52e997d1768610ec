// Package hook is Gemini CLI as acc's hooks see it: payloads in, answers out.
//
// It follows what Gemini CLI 0.61.0 on Linux was observed to send and obey; the payloads under testdata
// were captured from it. It never asks: that answer hangs the client. Start reading at gemini.go.
package hook
