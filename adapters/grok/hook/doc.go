// Package hook is Grok CLI as acc's hooks see it: payloads in, answers out.
//
// It follows what Grok 1.0.41 on Linux was observed to send and obey; the payloads under testdata were
// captured from it. The client also runs the hooks of Claude Code's settings, so its payloads carry both
// spellings; and it drops what a hook says before a prompt, so a model is first told with a tool's
// result. Start reading at grok.go.
package hook
