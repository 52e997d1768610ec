// Package hook is Claude Code as acc's hooks see it: payloads in, answers out.
//
// It follows what Claude Code 2.1.332 on Linux was observed to send and obey; the payloads under
// testdata were captured from it. Start reading at claude.go.
package hook
