// Package hook is Codex CLI as acc's hooks see it: payloads in, answers out.
//
// It follows what Codex CLI 0.171.0 on Linux was observed to send and obey; the payloads under testdata
// were captured from it. Two facts shape it: the hooks of all terminals run in one daemon with the
// environment of the first, so nothing but the payload identifies a conversation; and an answer with an
// empty reason or an unknown member counts as no answer. Start reading at codex.go.
package hook
