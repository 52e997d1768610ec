package mcpserver

import (
	"strings"

	"github.com/acc-control-plane/acc/protocol"
)

// hints are the next steps where a tool has another one than the command line.
var hints = map[protocol.Reason]string{
	protocol.ReasonReplyRequired:      "answer it with acc_reply",
	protocol.ReasonNotFound:           "acc_inbox lists what waits for you, acc_status the claims",
	protocol.ReasonUnknownRecipient:   "acc_status lists who is here",
	protocol.ReasonAmbiguousRecipient: "name one participant of acc_status",
	protocol.ReasonClaimConflict:      "ask its owner with acc_request, or work elsewhere",
}

// hintFor gives the next step of an error in the words of tools; "": the error's own is right.
func hintFor(e *protocol.Error) string {
	if hint := hints[e.Reason]; hint != "" {
		return hint
	}
	words := strings.Fields(e.Hint)
	if len(words) < 2 || words[0] != "acc" {
		return ""
	}
	for _, t := range tools {
		if t.name == "acc_"+words[1] {
			return "call " + t.name
		}
	}
	return ""
}
